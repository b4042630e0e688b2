"""Signatures of Data and Interests (NDN Packet Format Specification 0.3, "Signature")."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Any, Protocol

from simcore.models.ndn.name import Name
from simcore.models.ndn.tlv import encode_element, encode_nonnegative

if TYPE_CHECKING:
    from simcore.models.ndn.data import Data
    from simcore.models.ndn.interest import Interest

# TLV-TYPE numbers within SignatureInfo.
_SIGNATURE_TYPE = 27
_KEY_LOCATOR = 28
_SIGNATURE_NONCE = 38
_SIGNATURE_TIME = 40
_SIGNATURE_SEQUENCE = 42


class Signer(Protocol):
    """What `Interest` and `Data` ask for to be signed."""

    def signature_info(self) -> bytes:
        """Value of a Data's SignatureInfo."""

    def interest_signature_info(self) -> bytes:
        """Value of an Interest's InterestSignatureInfo."""

    def sign(self, portion: bytes) -> bytes:
        """Signature of the signed portion."""


class _Signature:
    """Signature type and key locator, shared by all signers.

    Parameters
    ----------
    key_locator : Name or str, optional
        Name of the key.
    nonce : bytes, optional
        SignatureNonce of Interests.
    time : int, optional
        SignatureTime of Interests, milliseconds since 1970.
    sequence : int, optional
        SignatureSeqNum of Interests.
    """

    type: int

    def __init__(
        self,
        *,
        key_locator: Name | str | None = None,
        nonce: bytes | None = None,
        time: int | None = None,
        sequence: int | None = None,
    ) -> None:
        self.key_locator = None if key_locator is None else Name(key_locator)
        self.nonce = nonce
        self.time = time
        self.sequence = sequence

    def signature_info(self) -> bytes:
        """Value of SignatureInfo."""
        info = encode_element(_SIGNATURE_TYPE, encode_nonnegative(self.type))
        if self.key_locator is not None:
            info += encode_element(_KEY_LOCATOR, self.key_locator.to_wire())
        return info

    def interest_signature_info(self) -> bytes:
        """Value of InterestSignatureInfo."""
        info = self.signature_info()
        if self.nonce is not None:
            info += encode_element(_SIGNATURE_NONCE, self.nonce)
        if self.time is not None:
            info += encode_element(_SIGNATURE_TIME, encode_nonnegative(self.time))
        if self.sequence is not None:
            info += encode_element(_SIGNATURE_SEQUENCE, encode_nonnegative(self.sequence))
        return info

    def sign(self, portion: bytes) -> bytes:
        """Signature of the signed portion."""
        raise NotImplementedError

    def verify(self, packet: Data | Interest) -> bool:
        """Whether the packet carries the signature that this key makes of it."""
        value = packet.signature_value
        return value is not None and hmac.compare_digest(value, self.sign(packet.signed_portion))


class DigestSha256(_Signature):
    """SHA-256 of the signed portion: integrity, no identity."""

    type = 0

    def sign(self, portion: bytes) -> bytes:
        """SHA-256 of the signed portion."""
        return hashlib.sha256(portion).digest()


class HmacSha256(_Signature):
    """HMAC with SHA-256 (RFC 2104).

    Parameters
    ----------
    key : bytes
    **options
        As for every signature: key_locator, nonce, time, sequence.
    """

    type = 4

    def __init__(self, key: bytes, **options: Any) -> None:
        super().__init__(**options)
        self.key = key

    def sign(self, portion: bytes) -> bytes:
        """HMAC of the signed portion."""
        return hmac.digest(self.key, portion, "sha256")


class EcdsaSha256(_Signature):
    """ECDSA with SHA-256; needs the package `cryptography`.

    Parameters
    ----------
    private_key : cryptography.hazmat.primitives.asymmetric.ec.EllipticCurvePrivateKey, optional
        A new key on the curve P-256 when not given.
    **options
        As for every signature: key_locator, nonce, time, sequence.

    Raises
    ------
    ImportError
        When `cryptography` is not installed.
    """

    type = 3

    def __init__(self, private_key: Any = None, **options: Any) -> None:
        super().__init__(**options)
        try:
            from cryptography.hazmat.primitives.asymmetric import ec
        except ImportError as error:
            raise ImportError(
                "ECDSA signatures need the package cryptography: pip install cryptography"
            ) from error
        self.private_key = private_key or ec.generate_private_key(ec.SECP256R1())

    def sign(self, portion: bytes) -> bytes:
        """Signature of the signed portion, DER-encoded."""
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec

        signature: bytes = self.private_key.sign(portion, ec.ECDSA(hashes.SHA256()))
        return signature

    def verify(self, packet: Data | Interest) -> bool:
        """Whether the packet carries a signature of this key."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec

        value = packet.signature_value
        if value is None:
            return False
        public = self.private_key.public_key()
        try:
            public.verify(value, packet.signed_portion, ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            return False
        return True
