import { expect, test } from "bun:test"
import { SharedBodies } from "../../src/http/mounts.ts"

test("responses of the same path share a body, and the number of shared bodies is limited", async () => {
  const bodies = new SharedBodies()
  const build = () => "text"
  const first = bodies.get("a", build)
  expect(bodies.get("a", build)).toBe(first)
  expect(await first.text()).toBe("text")
  for (let number = 0; number < 8; number++) bodies.get(String(number), build)
  expect(bodies.get("a", build)).not.toBe(first)
})
