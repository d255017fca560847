"""Every command of the scanner protocol."""

from __future__ import annotations

from typing import Any, NamedTuple

from oryn.scanner.protocol import requests, responses
from oryn.scanner.protocol.elements import PageResponse


class CommandTypes(NamedTuple):
    """The types of a command: of its request, and of the data of its response."""

    request: Any
    response: Any


COMMANDS = {
    "version": CommandTypes(requests.VersionRequest, responses.VersionResponse),
    "scan": CommandTypes(requests.ScanRequest, responses.ScanResponse),
    "page": CommandTypes(requests.PageRequest, PageResponse),
    "find": CommandTypes(requests.FindRequest, responses.FindResponse),
    "tree": CommandTypes(requests.TreeRequest, responses.TreeResponse),
    "get_value": CommandTypes(requests.GetValueRequest, responses.GetValueResponse),
    "get_text": CommandTypes(requests.GetTextRequest, responses.GetTextResponse),
    "get_html": CommandTypes(requests.GetHtmlRequest, responses.GetHtmlResponse),
    "get_bounds": CommandTypes(requests.GetBoundsRequest, responses.GetBoundsResponse),
    "get_state": CommandTypes(requests.GetStateRequest, responses.GetStateResponse),
    "exists": CommandTypes(requests.ExistsRequest, responses.ExistsResponse),
    "boxes": CommandTypes(requests.BoxesRequest, responses.BoxesResponse),
    "annotate": CommandTypes(requests.AnnotateRequest, responses.AnnotateResponse),
    "compare_pictures": CommandTypes(requests.ComparePicturesRequest, responses.ComparePicturesResponse),
    "extract": CommandTypes(requests.ExtractRequest, responses.ExtractResponse),
    "storage": CommandTypes(requests.StorageRequest, responses.StorageResponse),
    "captcha": CommandTypes(requests.CaptchaRequest, responses.CaptchaResponse),
    "audit": CommandTypes(requests.AuditRequest, responses.AuditResponse),
    "audit_report": CommandTypes(requests.AuditReportRequest, responses.AuditReportResponse),
    "audit_elements": CommandTypes(requests.AuditElementsRequest, responses.AuditElementsResponse),
    "vitals": CommandTypes(requests.VitalsRequest, responses.VitalsResponse),
    "get_frames": CommandTypes(requests.GetFramesRequest, responses.GetFramesResponse),
    "switch_frame": CommandTypes(requests.SwitchFrameRequest, responses.SwitchFrameResponse),
    "click": CommandTypes(requests.ClickRequest, responses.ClickResponse),
    "hover": CommandTypes(requests.HoverRequest, responses.HoverResponse),
    "focus": CommandTypes(requests.FocusRequest, responses.FocusResponse),
    "type": CommandTypes(requests.TypeRequest, responses.TypeResponse),
    "clear": CommandTypes(requests.ClearRequest, responses.ClearResponse),
    "check": CommandTypes(requests.CheckRequest, responses.CheckResponse),
    "uncheck": CommandTypes(requests.UncheckRequest, responses.CheckResponse),
    "toggle": CommandTypes(requests.ToggleRequest, responses.ToggleResponse),
    "select": CommandTypes(requests.SelectRequest, responses.SelectResponse),
    "submit": CommandTypes(requests.SubmitRequest, responses.SubmitResponse),
    "scroll": CommandTypes(requests.ScrollRequest, responses.ScrollResponse),
    "locate": CommandTypes(requests.LocateRequest, responses.LocateResponse),
    "approach": CommandTypes(requests.ApproachRequest, responses.ApproachResponse),
    "restore_scroll": CommandTypes(requests.RestoreScrollRequest, responses.NoData),
    "prepare": CommandTypes(requests.PrepareRequest, responses.PrepareResponse),
    "restore_field": CommandTypes(requests.RestoreFieldRequest, responses.RestoreFieldResponse),
    "insert": CommandTypes(requests.InsertRequest, responses.InsertResponse),
    "read_editor": CommandTypes(requests.ReadEditorRequest, responses.EditorTextResponse),
    "paste": CommandTypes(requests.PasteRequest, responses.PasteResponse),
    "copy": CommandTypes(requests.CopyRequest, responses.EditorTextResponse),
    "pointer": CommandTypes(requests.PointerRequest, responses.PointerResponse),
    "keys": CommandTypes(requests.KeysRequest, responses.KeysResponse),
    "verify": CommandTypes(requests.VerifyRequest, responses.VerifyResponse),
    "highlight": CommandTypes(requests.HighlightRequest, responses.HighlightResponse),
    "highlight_clear": CommandTypes(requests.HighlightClearRequest, responses.HighlightClearResponse),
    "execute": CommandTypes(requests.ExecuteRequest, responses.ExecuteResponse),
    "wait_for": CommandTypes(requests.WaitForRequest, responses.WaitForResponse),
    "unread_changes": CommandTypes(requests.UnreadChangesRequest, responses.UnreadChangesResponse),
    "settle": CommandTypes(requests.SettleRequest, responses.SettleResponse),
    "activity": CommandTypes(requests.ActivityRequest, responses.ActivityResponse),
    "event_paths": CommandTypes(requests.EventPathsRequest, responses.EventPathsResponse),
    "watch": CommandTypes(requests.WatchRequest, responses.WatchResponse),
    "changed_texts": CommandTypes(requests.ChangedTextsRequest, responses.ChangedTextsResponse),
    "feed_elements": CommandTypes(requests.FeedElementsRequest, responses.FeedElementsResponse),
    "decided_elements": CommandTypes(requests.DecidedElementsRequest, responses.DecidedElementsResponse),
    "raised_elements": CommandTypes(requests.RaisedElementsRequest, responses.RaisedElementsResponse),
    "reaction": CommandTypes(requests.ReactionRequest, responses.ReactionResponse),
    "file_input": CommandTypes(requests.FileInputRequest, responses.FileInputResponse),
    "slider": CommandTypes(requests.SliderRequest, responses.SliderResponse),
    "range_value": CommandTypes(requests.RangeValueRequest, responses.SliderResponse),
    "date_segments": CommandTypes(requests.DateSegmentsRequest, responses.DateSegmentsResponse),
    "date_limits": CommandTypes(requests.DateLimitsRequest, responses.DateLimitsResponse),
    "calendar": CommandTypes(requests.CalendarRequest, responses.CalendarResponse),
    "options": CommandTypes(requests.OptionsRequest, responses.OptionsResponse),
    "scrollers": CommandTypes(requests.ScrollersRequest, responses.ScrollersResponse),
    "scroll_to": CommandTypes(requests.ScrollToRequest, responses.ScrollToResponse),
    "popups": CommandTypes(requests.PopupsRequest, responses.PopupsResponse),
    "popup_open": CommandTypes(requests.PopupOpenRequest, responses.PopupOpenResponse),
}

ScannerRequest = (
    requests.VersionRequest
    | requests.ScanRequest
    | requests.PageRequest
    | requests.FindRequest
    | requests.TreeRequest
    | requests.GetValueRequest
    | requests.GetTextRequest
    | requests.GetHtmlRequest
    | requests.GetBoundsRequest
    | requests.GetStateRequest
    | requests.ExistsRequest
    | requests.BoxesRequest
    | requests.AnnotateRequest
    | requests.ComparePicturesRequest
    | requests.ExtractRequest
    | requests.StorageRequest
    | requests.CaptchaRequest
    | requests.AuditRequest
    | requests.AuditReportRequest
    | requests.AuditElementsRequest
    | requests.VitalsRequest
    | requests.GetFramesRequest
    | requests.SwitchFrameRequest
    | requests.ClickRequest
    | requests.HoverRequest
    | requests.FocusRequest
    | requests.TypeRequest
    | requests.ClearRequest
    | requests.CheckRequest
    | requests.UncheckRequest
    | requests.ToggleRequest
    | requests.SelectRequest
    | requests.SubmitRequest
    | requests.ScrollRequest
    | requests.LocateRequest
    | requests.ApproachRequest
    | requests.RestoreScrollRequest
    | requests.PrepareRequest
    | requests.RestoreFieldRequest
    | requests.InsertRequest
    | requests.ReadEditorRequest
    | requests.PasteRequest
    | requests.CopyRequest
    | requests.PointerRequest
    | requests.KeysRequest
    | requests.VerifyRequest
    | requests.HighlightRequest
    | requests.HighlightClearRequest
    | requests.ExecuteRequest
    | requests.WaitForRequest
    | requests.UnreadChangesRequest
    | requests.SettleRequest
    | requests.EventPathsRequest
    | requests.ActivityRequest
    | requests.WatchRequest
    | requests.ChangedTextsRequest
    | requests.FeedElementsRequest
    | requests.DecidedElementsRequest
    | requests.RaisedElementsRequest
    | requests.ReactionRequest
    | requests.FileInputRequest
    | requests.SliderRequest
    | requests.RangeValueRequest
    | requests.DateSegmentsRequest
    | requests.DateLimitsRequest
    | requests.CalendarRequest
    | requests.OptionsRequest
    | requests.ScrollersRequest
    | requests.ScrollToRequest
    | requests.PopupsRequest
    | requests.PopupOpenRequest
)
