import { describe, expect, test } from "bun:test"
import { Webhook as Verifier } from "standardwebhooks"
import { DeliveryError } from "../../src/notices/channels/channel.ts"
import { Mail } from "../../src/notices/channels/mail.ts"
import { newWebhookSecret, Webhook, Slack } from "../../src/notices/channels/webhook.ts"
import { type NoticeMessage, titleOf } from "../../src/notices/message.ts"
import { startMailServer } from "./mail-server.ts"
import { startReceiver } from "./receiver.ts"

const MESSAGE: NoticeMessage = {
  id: "evt_1",
  type: "balance.low",
  created_at: "2026-11-23T12:00:00.000Z",
  account: { id: "acc_1", name: "<!channel> & <https://evil.example|here>" },
  data: { balance: "0.5", below: "2" },
}

/** Returns the error with which a step fails. */
async function failureOf(step: Promise<void>): Promise<DeliveryError> {
  const error: unknown = await step.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(DeliveryError)
  return error as DeliveryError
}

describe("the webhook channel", () => {
  const anywhere = new Webhook(() => true)
  const secret = newWebhookSecret()

  test("sends a signature that the libraries of Standard Webhooks verify", async () => {
    using receiver = startReceiver()
    await anywhere.send(MESSAGE, { address: `${receiver.url}/hook`, secret })
    const [request] = receiver.received
    expect(request).toMatchObject({ path: "/hook" })
    const verified = new Verifier(secret).verify(request!.body, request!.headers)
    expect(verified).toEqual(MESSAGE)
    expect(() => new Verifier(newWebhookSecret()).verify(request!.body, request!.headers)).toThrow()
  })

  test("calls a private address only if the operator allows private addresses", async () => {
    using receiver = startReceiver()
    const { port } = new URL(receiver.url)
    const restricted = new Webhook(() => false)
    for (const host of ["127.0.0.1", "[::1]", "0.0.0.0", "2130706433"]) {
      const address = `http://${host}:${port}/hook`
      const { message } = await failureOf(restricted.send(MESSAGE, { address, secret }))
      expect(message).toBe("it is not on the public internet")
    }
    // Owners must not find out which names exist in the operator's network.
    for (const host of ["localhost", "name.invalid"]) {
      const address = `http://${host}:${port}/hook`
      const { message } = await failureOf(restricted.send(MESSAGE, { address, secret }))
      expect(message).toBe("its name is unknown or not on the public internet")
    }
    expect(receiver.received).toEqual([])
  })

  test("reports only the status of a failed call, and follows no redirect", async () => {
    using elsewhere = startReceiver()
    using receiver = startReceiver((count) =>
      count === 0
        ? new Response("a secret of the inner network", { status: 500 })
        : Response.redirect(elsewhere.url),
    )
    const destination = { address: receiver.url, secret }
    expect(await failureOf(anywhere.send(MESSAGE, destination))).toMatchObject({
      message: "it answered with status 500",
      isFinal: false,
    })
    expect(await failureOf(anywhere.send(MESSAGE, destination))).toMatchObject({
      message: "it answered with status 302",
    })
    expect(elsewhere.received).toEqual([])
  })

  test("does not retry a removed webhook", async () => {
    using receiver = startReceiver(() => new Response(null, { status: 410 }))
    const destination = { address: receiver.url, secret }
    expect(await failureOf(anywhere.send(MESSAGE, destination))).toMatchObject({ isFinal: true })
  })

  test("reports a webhook whose server cannot be reached", async () => {
    const receiver = startReceiver()
    receiver[Symbol.dispose]()
    const destination = { address: receiver.url, secret }
    const { message } = await failureOf(anywhere.send(MESSAGE, destination))
    expect(message).toBe("it cannot be reached")
  })
})

test("the Slack channel removes links and mentions from names", async () => {
  using receiver = startReceiver()
  await new Slack(() => true).send(MESSAGE, { address: receiver.url })
  const { text } = JSON.parse(receiver.received[0]!.body) as { text: string }
  expect(text).toBe(
    [
      "*The balance is low: 0.5 credits are left*",
      "account: &lt;!channel&gt; &amp; &lt;https://evil.example|here&gt; (acc_1)",
      "balance: 0.5",
      "below: 2",
      "time: 2026-11-23T12:00:00.000Z",
      "event: evt_1",
    ].join("\n"),
  )
})

describe("the email channel", () => {
  test("sends through the operator's server with its credentials", async () => {
    const mails: string[] = []
    const recipients: string[] = []
    await using server = await startMailServer((mail, to) => {
      mails.push(mail)
      recipients.push(...to)
    })
    const settings = {
      smtp: `smtp://ada:secret@${server.address}`,
      from: "Tollgate <t@example.com>",
    }
    await new Mail(() => settings).send(MESSAGE, { address: "bob@example.com" })
    expect(recipients).toEqual(["bob@example.com"])
    expect(mails[0]).toContain("From: Tollgate <t@example.com>")
    expect(mails[0]).toContain("Subject: Tollgate: The balance is low: 0.5 credits are left")
    expect(mails[0]).toContain("below: 2")
  })

  test("reports a rejected email with the error code, without the server's message or credentials", async () => {
    await using server = await startMailServer(() => undefined)
    const settings = { smtp: `smtp://ada:wrong@${server.address}`, from: "t@example.com" }
    const step = new Mail(() => settings).send(MESSAGE, { address: "bob@example.com" })
    const { message } = await failureOf(step)
    expect(message).toBe("the mail server rejected the user or the password (EAUTH 535)")
  })

  test("requires a mail server", async () => {
    const step = new Mail(() => undefined).send(MESSAGE, { address: "bob@example.com" })
    expect((await failureOf(step)).message).toContain("notices.smtp")
  })
})

test("the notice of a low balance uses the singular for one credit", () => {
  const titleAt = (balance: string) =>
    titleOf({ id: "n", created_at: "", account: null, type: "balance.low", data: { balance } })
  expect(titleAt("1")).toBe("The balance is low: 1 credit is left")
  expect(titleAt("0.5")).toBe("The balance is low: 0.5 credits are left")
})
