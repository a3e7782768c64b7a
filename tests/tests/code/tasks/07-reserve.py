from stock import items
from tools import transition_depot_item

large = [item for item in items() if item["quantity"] > 35]
for item in large:
    transition_depot_item({"item_id": item["id"], "to": "reserved"})
print(len(large))
