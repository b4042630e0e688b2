"""Consumers and producers."""

from simcore.models.ndn.apps.application import NdnApplication
from simcore.models.ndn.apps.batches import ConsumerBatches
from simcore.models.ndn.apps.cbr import ConsumerCbr
from simcore.models.ndn.apps.consumer import Consumer
from simcore.models.ndn.apps.producer import Producer
from simcore.models.ndn.apps.window import ConsumerAimd, ConsumerWindow
from simcore.models.ndn.apps.zipf import ConsumerZipf, ZipfMandelbrot

__all__ = [
    "Consumer",
    "ConsumerAimd",
    "ConsumerBatches",
    "ConsumerCbr",
    "ConsumerWindow",
    "ConsumerZipf",
    "NdnApplication",
    "Producer",
    "ZipfMandelbrot",
]
