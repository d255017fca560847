"""`TargetFeature` and a tab as features see it, for the sessions of the DevTools protocol.

https://chromedevtools.github.io/devtools-protocol/tot/Target/"""

from __future__ import annotations

from typing import TypeAlias

from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.common import target_feature

TargetSessions: TypeAlias = target_feature.TargetSessions[CdpSession]
CdpTarget: TypeAlias = target_feature.FeatureTarget[CdpSession]
InterceptedPage: TypeAlias = target_feature.InterceptedTarget[CdpSession]

TargetFeature: TypeAlias = target_feature.TargetFeature[CdpSession]
"""A feature that needs the DevTools protocol, whose `page.target_id` is also the id of the tab's top frame."""
