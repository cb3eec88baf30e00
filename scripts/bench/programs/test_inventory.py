import unittest

from inventory import Inventory, Item, OutOfStock, median

PEN = Item("pen", 2, ("desk",))


class TestInventory(unittest.TestCase):
    def setUp(self) -> None:
        self.inventory = Inventory()

    def test_what_is_added_counts(self) -> None:
        self.inventory.add(PEN, 3)
        self.assertEqual(self.inventory.total(), 6)

    def test_what_is_taken_is_gone(self) -> None:
        self.inventory.add(PEN)
        self.assertEqual(self.inventory.take("pen"), PEN)
        self.assertEqual(self.inventory.total(), 0)

    def test_no_more_can_be_taken_than_there_is(self) -> None:
        with self.assertRaises(OutOfStock):
            self.inventory.take("pen")

    def test_items_are_found_by_their_tags(self) -> None:
        self.inventory.add(PEN)
        self.inventory.add(Item("ink", 1, ("desk", "wet")))
        self.assertEqual(self.inventory.tagged("desk"), ["ink", "pen"])


class TestMedian(unittest.TestCase):
    def test_of_an_even_number_lies_between_two(self) -> None:
        self.assertEqual(median([4, 1, 3, 2]), 2.5)
