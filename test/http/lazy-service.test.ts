import { expect, test } from "bun:test"
import { Lazy } from "../../src/http/lazy.ts"

/** Counts how often it is created and disposed of. */
class Counted implements AsyncDisposable {
  static made = 0
  static disposed = 0

  constructor() {
    Counted.made++
  }

  async [Symbol.asyncDispose](): Promise<void> {
    Counted.disposed++
  }
}

test("a lazy service is created once, at its first use, and disposed of at the end", async () => {
  Counted.made = Counted.disposed = 0
  const lazy = new Lazy(async () => new Counted())
  const [one, other] = await Promise.all([lazy.get(), lazy.get()])
  expect(one).toBe(other)
  await lazy[Symbol.asyncDispose]()
  expect([Counted.made, Counted.disposed]).toEqual([1, 1])
  await expect(lazy.get()).rejects.toThrow("shutting down")
})

test("disposal of an unused lazy service does not create the service", async () => {
  Counted.made = 0
  await new Lazy(async () => new Counted())[Symbol.asyncDispose]()
  expect(Counted.made).toBe(0)
})

test("a lazy service tries its creation again after a failure", async () => {
  let isBroken = true
  const lazy = new Lazy(async () => {
    if (isBroken) throw new Error("the disk is full")
    return new Counted()
  })
  await expect(lazy.get()).rejects.toThrow("disk is full")
  isBroken = false
  expect(await lazy.get()).toBeInstanceOf(Counted)
})
