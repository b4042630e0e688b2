"""Putting NDN on nodes: a forwarder each, and a face for each device."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from simcore.models.ndn.device_face import NetDeviceFace
from simcore.models.ndn.forwarder import Forwarder
from simcore.models.network.node import NetDevice, Node


def install(
    nodes: Node | Iterable[Node],
    *,
    cs_capacity: int = 65536,
    cs_policy: Any = "lru",
    strategy: Any = "best-route",
    face: Mapping[str, Any] | None = None,
    **forwarder: Any,
) -> list[Forwarder]:
    """Put NDN on nodes: ``node.ndn`` is a forwarder with a face over each device.

    Parameters
    ----------
    nodes
        A node or several, with their devices; a device that comes later gets its face from
        `add_face`.
    cs_capacity
        Data packets that each node caches; 0 for no cache.
    cs_policy
        ``"lru"``, ``"priority-fifo"``, or a type of cache policy.
    strategy
        For ``/``: a name or a type of strategy.
    face
        Options of the faces, see `NetDeviceFace`.
    **forwarder
        Further options of `Forwarder`.

    Returns
    -------
    list of Forwarder
        In the order of the nodes.

    Raises
    ------
    ValueError
        If a node has NDN already, or an option is out of range.
    """
    chosen = [nodes] if isinstance(nodes, Node) else list(nodes)
    for node in chosen:
        if getattr(node, "ndn", None) is not None:
            raise ValueError(f"{node!r} has NDN already")
    installed = []
    for node in chosen:
        policy = cs_policy() if isinstance(cs_policy, type) else cs_policy
        made = Forwarder(
            node.sim,
            node.id,
            cs_capacity=cs_capacity,
            cs_policy=policy,
            strategy=strategy,
            **forwarder,
        )
        faces: list[NetDeviceFace] = []
        try:
            for device in node.devices:
                faces.append(NetDeviceFace(device, **(face or {})))
        except BaseException:
            # A node without a forwarder must not keep faces.
            for opened in faces:
                opened.close()
            raise
        for opened in faces:
            made.add_face(opened)
        vars(node)["ndn"] = made
        installed.append(made)
    return installed


def forwarder_of(node: Node) -> Forwarder:
    """Return the forwarder of a node.

    Raises
    ------
    ValueError
        If the node has no NDN.
    """
    found: Forwarder | None = getattr(node, "ndn", None)
    if found is None:
        raise ValueError(f"{node!r} has no NDN: use ndn.install first")
    return found


def add_face(device: NetDevice, **options: Any) -> NetDeviceFace:
    """Give the forwarder of a device's node a face over that device.

    Parameters
    ----------
    device
        Of a node that has NDN.
    **options
        Those of `NetDeviceFace`, such as ``remote`` for a face towards one neighbour of a radio.
    """
    forwarder = forwarder_of(device.node)
    face = NetDeviceFace(device, **options)
    forwarder.add_face(face)
    return face


def device_faces(node: Node) -> list[NetDeviceFace]:
    """Return the faces of a node over its devices, by number."""
    return [face for face in forwarder_of(node).faces.values() if isinstance(face, NetDeviceFace)]


def _channel(device: NetDevice) -> Any:
    """Return what a device shares with those that it reaches."""
    channel = getattr(device, "channel", None)
    return getattr(getattr(device, "phy", None), "channel", None) if channel is None else channel


def _devices_on(channel: Any) -> list[NetDevice]:
    """Return the devices on a channel; one of radios knows these, not their devices."""
    devices = getattr(channel, "devices", None)
    if devices is not None:
        return list(devices)
    return [
        device
        for phy in channel.phys
        for device in phy.node.devices
        if getattr(device, "phy", None) is phy
    ]


def face_towards(node: Node, neighbour: Node) -> NetDeviceFace:
    """Return the face of a node that reaches a neighbour.

    A face towards that neighbour alone goes before one that reaches everybody on its medium; of
    several, the one with the lowest number is taken. Whether a radio reaches that far does not
    matter.

    Raises
    ------
    ValueError
        If there is none.
    """
    addresses = {device.address for device in neighbour.devices}
    channels = [
        channel for device in neighbour.devices if (channel := _channel(device)) is not None
    ]
    shared = None
    for face in device_faces(node):
        if not any(_channel(face.device) is channel for channel in channels):
            continue
        if face.remote is None:
            shared = face if shared is None else shared
        elif face.remote in addresses:
            return face
    if shared is None:
        raise ValueError(f"{node!r} has no face towards {neighbour!r}")
    return shared


def neighbours_of(face: NetDeviceFace) -> list[Node]:
    """Return the nodes with NDN that a face reaches, by number."""
    channel = _channel(face.device)
    found = [
        device.node
        for device in ([] if channel is None else _devices_on(channel))
        if device.node is not face.device.node
        and getattr(device.node, "ndn", None) is not None
        and (face.remote is None or device.address == face.remote)
    ]
    return sorted(found, key=lambda node: node.id)
