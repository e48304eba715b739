import { expect, test } from "bun:test"
import fc from "fast-check"
import { LinkedList, type ListNode } from "../../src/canon/linked-list.ts"

test("a linked list keeps added elements in order until they are removed", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9)), (steps) => {
      const list = new LinkedList<number>()
      const nodes: ListNode<number>[] = []
      const expected: number[] = []
      for (const [index, step] of steps.entries()) {
        const node = nodes[step]
        if (node === undefined) {
          nodes.push(list.add(index))
          expected.push(index)
        } else {
          list.remove(node)
          const at = expected.indexOf(node.element)
          if (at !== -1) expected.splice(at, 1)
        }
      }
      expect([...list]).toEqual(expected)
      expect(list.first).toBe(expected[0] as number)
    }),
  )
})

test("a linked list iterates over the elements present at the start, regardless of removals", () => {
  const list = new LinkedList<string>()
  const nodes = ["a", "b", "c"].map((element) => list.add(element))
  const given: string[] = []
  for (const element of list) {
    given.push(element)
    for (const node of nodes) list.remove(node)
    list.add("late")
  }
  expect(given).toEqual(["a", "b", "c"])
})
