"""IEEE 802.11: PHY, MAC and rate control."""
