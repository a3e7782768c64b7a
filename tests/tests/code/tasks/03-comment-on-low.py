from stock import items
from tools import add_depot_item_comment

low = [item for item in items() if item["quantity"] < 5]
for item in low:
    add_depot_item_comment({"item_id": item["id"], "text": "reorder", "author": "agent"})
print(len(low))
