from stock import items
from tools import simulate_depot_order

lines = [{"sku": item["sku"], "quantity": 1} for item in items()[:5]]
print(len(simulate_depot_order({"lines": lines})["lines"]))
