import { expect, test } from "bun:test"
import { startReceiver } from "../../notices/receiver.ts"
import { simulated } from "../../support/gateway.ts"
import { until } from "../../support/until.ts"
import { join, person, setUpOperator } from "./console-browser.ts"
import { ask, asked, errorOf, startManaged } from "./support.ts"

interface Sent {
  readonly type: string
  readonly account: { readonly id: string } | null
  readonly data: Record<string, unknown>
}

const sentTo = (receiver: { received: readonly { body: string }[] }) =>
  receiver.received.map(({ body }) => JSON.parse(body) as Sent)

test("accounts and the operator receive their own notices, and see whether they were delivered", async () => {
  await using gateway = await startManaged({ noticePace: 20 })
  using ofAccount = startReceiver()
  using ofOperator = startReceiver(
    (count) => new Response(null, { status: count === 0 ? 500 : 200 }),
  )
  const caller = await gateway.caller("0.001", { dailyBudget: 1_000_000n })
  const account = caller.account.id
  const webhook = { channel: "webhook", address: `${ofAccount.url}/secret-path` }
  const added = await asked(gateway, "POST", "/notices/targets", {
    ...webhook,
    account,
    balance_below: "1",
  })
  expect(added).toMatchObject({ account, address: `${ofAccount.url}/…`, balance_below: "1" })
  expect(added.secret).toStartWith("whsec_")
  await asked(gateway, "POST", "/notices/targets", { ...webhook, address: ofOperator.url })
  await until(() => ofAccount.received.length === 1)
  expect(sentTo(ofAccount)).toMatchObject([
    { type: "balance.low", account: { id: account }, data: { balance: "0.001", below: "1" } },
  ])
  const chat = { model: "sim/echo", messages: [{ role: "user", content: "hi" }], max_tokens: 900 }
  const response = await caller.post("/v1/chat/completions", chat)
  expect(response.status).toBe(200)
  const { data } = await asked(gateway, "GET", "/notices")
  expect(data).toMatchObject([
    { type: "balance.low", deliveries: [{ state: "delivered", attempts: 1, error: null }] },
  ])
  const { data: targets } = await asked(gateway, "GET", "/notices/targets")
  const text = JSON.stringify([data, targets])
  expect(text).not.toContain("secret-path")
  expect(text).not.toContain("whsec_")
  const target = (targets as { id: string; account: string | null }[]).find(
    (one) => one.account === null,
  )
  await asked(gateway, "POST", `/notices/targets/${target?.id}/test`)
  await until(async () => {
    const { data: list } = await asked(gateway, "GET", "/notices")
    const [newest] = list as { type: string; deliveries: { error: string | null }[] }[]
    return newest?.type === "test" && newest.deliveries[0]?.error === "it answered with status 500"
  })
})

test("the operator gets a notice about a failing vendor and a rejected credential", async () => {
  await using gateway = await startManaged({
    models: {
      "sim/fault-500": simulated(),
      "sim/fault-401": simulated(),
    },
  })
  using receiver = startReceiver()
  await asked(gateway, "POST", "/notices/targets", { channel: "webhook", address: receiver.url })
  const caller = await gateway.caller()
  for (const [model, type] of [
    ["sim/fault-500", "deployment.cooling_down"],
    ["sim/fault-401", "credential.rejected"],
  ]) {
    const chat = { model, messages: [{ role: "user", content: "hi" }], max_tokens: 9 }
    await until(async () => {
      await (await caller.post("/v1/chat/completions", chat)).text()
      return sentTo(receiver).some((sent) => sent.type === type && sent.account === null)
    })
  }
})

test.each([
  [{ channel: "webhook", address: "http://hooks.example.com" }, "address", "https://"],
  [{ channel: "webhook", address: "https://127.0.0.1/x" }, "address", "public internet"],
  [{ channel: "webhook", address: "https://[::1]/x" }, "address", "public internet"],
  [{ channel: "slack", address: "https://u:p@example.com" }, "address", "credential"],
  [{ channel: "slack", address: "ftp://example.com" }, "address", "not an HTTP URL"],
  [{ channel: "email", address: "ada@example.com" }, "address", "notices.smtp"],
  [{ channel: "pigeon", address: "https://example.com" }, "channel", ""],
  [{ channel: "slack", address: "https://example.com", balance_below: "0" }, "balance_below", ""],
  [{ channel: "slack", address: "https://example.com", types: ["nothing"] }, "types", ""],
])("invalid notice settings are rejected: %o", async (target, parameter, words) => {
  await using gateway = await startManaged({ settings: { notices: { allowsPrivate: false } } })
  const response = await ask(gateway, "POST", "/notices/targets", target)
  expect(response.status).toBe(400)
  const { param, message } = await errorOf(response)
  expect(param).toStartWith(parameter)
  expect(message).toContain(words)
})

test("an account has a limited number of notice targets, and cannot receive the operator's notices", async () => {
  await using gateway = await startManaged()
  const { account } = await gateway.caller()
  const target = { account: account.id, channel: "slack", address: "https://example.com/x" }
  const operators = await ask(gateway, "POST", "/notices/targets", {
    ...target,
    types: ["write_off"],
  })
  expect(operators.status).toBe(400)
  for (let count = 0; count < 10; count++) await asked(gateway, "POST", "/notices/targets", target)
  const response = await ask(gateway, "POST", "/notices/targets", target)
  expect((await errorOf(response)).message).toContain("10 targets")
})

test("tests and additions of notice targets are limited per account, even if a target is added again", async () => {
  await using gateway = await startManaged()
  const { account } = await gateway.caller()
  const operator = await setUpOperator(gateway)
  const member = { account: account.id, role: "owner", person: person("Ada") } as const
  const owner = await join(gateway, operator, member)
  const target = { account: account.id, channel: "slack", address: "https://example.com/x" }
  const tests: number[] = []
  for (let number = 0; number < 30; number++) {
    const { id } = await owner.json("POST", "/notices/targets", target)
    tests.push(await owner.status("POST", `/notices/targets/${id}/test`))
    await owner.ask("DELETE", `/notices/targets/${id}`)
  }
  expect(tests.indexOf(429)).toBe(20)
  expect(await owner.status("POST", "/notices/targets", target)).toBe(429)
})
