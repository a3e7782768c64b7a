from stock import items
from tools import list_depot_item_comments

said = {}
for item in items():
    comments = list_depot_item_comments({"item_id": item["id"]})["comments"]
    if comments:
        said[item["sku"]] = len(comments)
print(said)
