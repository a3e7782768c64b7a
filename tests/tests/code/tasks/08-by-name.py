from collections import Counter
from stock import items

kinds = Counter(item["name"].split()[0] for item in items())
print(dict(sorted(kinds.items())))
