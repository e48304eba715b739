import { expect, test } from "bun:test"
import { lateSoon, pair, silent, startHedgeWorld } from "./hedge-world.ts"
import { CHAT, HELLO, keptReceiptOf, receiptOf } from "../support.ts"

test("a parameter is not reported as lost if the deployment that answers has accepted it", async () => {
  await using world = await startHedgeWorld({ "first/a": pair("a") })
  using _ = lateSoon()
  const { gateway, caller, first, second } = world
  const message = "Unsupported parameter: 'seed' is not supported with this model."
  const rejecting = () => Response.json({ error: { message, param: "seed" } }, { status: 400 })
  first.turns = [rejecting, silent]
  const response = await caller.post(CHAT, { model: "first/a", messages: HELLO, seed: 1 })
  expect(await response.text()).toContain("Hello")
  expect(response.headers.get("x-tollgate-losses")).toBeNull()
  expect(first.bodies.map(({ seed }) => seed)).toEqual([1, undefined])
  expect(second.bodies.map(({ seed }) => seed)).toEqual([1])
  const { id } = await receiptOf(caller, response)
  const attempts = keptReceiptOf(gateway, id)?.attempts ?? []
  expect(attempts.map(({ deployment, outcome }) => `${deployment} ${outcome}`)).toEqual([
    "first/a rejected_by_upstream",
    "first/a not_needed",
    "second/a ok",
  ])
  expect(attempts[0]?.provider_cost).toBeUndefined()
})
