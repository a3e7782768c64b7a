from stock import items
from tools import update_depot_item

changed = []
for item in items():
    if item["quantity"] < 5:
        update_depot_item({"item_id": item["id"], "quantity": item["quantity"] + 20})
        changed.append(item["sku"])
print(changed)
