import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Inventory, OutOfStock, median } from './inventory.js'

const PEN = { name: 'pen', price: 2, tags: ['desk'] }

void test('what is added counts', () => {
  const inventory = new Inventory()
  inventory.add(PEN, 3)
  assert.equal(inventory.total(), 6)
})

void test('what is taken is gone', () => {
  const inventory = new Inventory()
  inventory.add(PEN)
  assert.deepEqual(inventory.take('pen'), PEN)
  assert.equal(inventory.total(), 0)
})

void test('no more can be taken than there is', () => {
  assert.throws(() => new Inventory().take('pen'), OutOfStock)
})

void test('items are found by their tags', () => {
  const inventory = new Inventory()
  inventory.add(PEN)
  inventory.add({ name: 'ink', price: 1, tags: ['desk', 'wet'] })
  assert.deepEqual(inventory.tagged('desk'), ['ink', 'pen'])
})

void test('the median of an even number of values lies between two', () => {
  assert.equal(median([4, 1, 3, 2]), 2.5)
})
