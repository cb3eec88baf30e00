from collections import defaultdict
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Item:
    name: str
    price: int
    tags: tuple[str, ...] = field(default=())


class OutOfStock(Exception):
    def __init__(self, item: str, wanted: int) -> None:
        super().__init__(f"{item}: {wanted} wanted, and there are not as many")
        self.item = item


class Inventory:
    def __init__(self) -> None:
        self._items: dict[str, Item] = {}
        self._counts: defaultdict[str, int] = defaultdict(int)

    def add(self, item: Item, count: int = 1) -> None:
        self._items[item.name] = item
        self._counts[item.name] += count

    def take(self, name: str, count: int = 1) -> Item:
        if self._counts[name] < count:
            raise OutOfStock(name, count)
        self._counts[name] -= count
        return self._items[name] if self._counts[name] else self._items.pop(name)

    def total(self) -> int:
        return sum(item.price * self._counts[name] for name, item in self._items.items())

    def tagged(self, tag: str) -> list[str]:
        return sorted(name for name, item in self._items.items() if tag in item.tags)


def median(values: list[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
