from stock import items

low = sorted(items(), key=lambda item: (item["quantity"], item["sku"]))
print([item["sku"] for item in low[:3]])
