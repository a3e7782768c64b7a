from tools import search_depot_items

found = search_depot_items({"q": "lamp", "limit": 50})["items"]
print(len(found), sum(item["quantity"] for item in found))
