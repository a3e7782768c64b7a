from stock import items

print(sum(item["quantity"] for item in items()))
