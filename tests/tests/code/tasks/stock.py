"""What the tasks share: all items, in pages."""

from tools import Any, list_depot_items


def items() -> list[Any]:
    found: list[Any] = []
    page = list_depot_items({"limit": 10})
    while True:
        found += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return found
        page = list_depot_items({"limit": 10, "cursor": cursor})
