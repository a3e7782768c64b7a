from tools import ToolError, call, get_depot_item

# A tool that the role does not have, and an item that does not exist.
codes = []
for attempt in (
    lambda: call("delete-depot-item", {"item_id": "00000000-0000-4000-8000-000000000000"}),
    lambda: get_depot_item({"item_id": "00000000-0000-4000-8000-000000000000"}),
):
    try:
        attempt()
    except ToolError as error:
        codes.append(error.code)
print(codes)
