import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { threadTime } from "../../support/processor-time.ts"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import type { ReasoningPart } from "../../../src/canon/message.ts"
import {
  carriesEnvelope,
  openEnvelopes,
  ReasoningSigner,
} from "../../../src/relay/chat/reasoning-envelope.ts"

const signer = new ReasoningSigner("a secret")

function conversation(...parts: ReasoningPart[]): ChatRequest {
  return {
    model: "sim/echo",
    stream: false,
    streamUsage: false,
    choices: 1,
    messages: [
      { role: "user", parts: [{ type: "text", text: "Hello" }] },
      { role: "assistant", parts: [...parts, { type: "text", text: "Hi" }] },
    ],
  }
}

function reasoning(parts: Partial<ReasoningPart>): ReasoningPart {
  return { type: "reasoning", text: "thoughts", ...parts }
}

test("an encrypted reasoning envelope is restored unchanged", () => {
  fc.assert(
    fc.property(
      fc.record({
        signature: fc.string({ unit: "binary" }),
        id: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
        isRedacted: fc.boolean(),
        format: fc.option(fc.string({ unit: "binary" }), { nil: undefined }),
      }),
      ({ signature, id, isRedacted, format }) => {
        const signed = {
          signature,
          signedBy: "gemini" as const,
          ...(id === undefined ? {} : { id }),
          ...(isRedacted ? { isRedacted } : {}),
          ...(format === undefined
            ? {}
            : { extra: { dialect: "gemini" as const, fields: { format } } }),
        }
        expect(signer.open(signer.sign(signed, "google"))).toEqual({
          ...signed,
          provider: "google",
        })
      },
    ),
  )
})

test("a reasoning envelope that is modified or from another installation is not opened", () => {
  const signed = signer.sign({ signature: "abc", signedBy: "gemini" }, "google")
  expect(signer.open(signed.replace("google", "goggle"))).toBeUndefined()
  expect(signer.open(signed.replace("abc", "abd"))).toBeUndefined()
  expect(signer.open("tg1:")).toBeUndefined()
  expect(new ReasoningSigner("another secret").open(signed)).toBeUndefined()
})

describe("reasoning envelopes in a conversation", () => {
  const signed = signer.sign({ signature: "abc", signedBy: "gemini", id: "r1" }, "google")
  const back = reasoning({ signature: signed, signedBy: "openai-chat" })

  test("can be distinguished from the vendors' own signatures", () => {
    expect(carriesEnvelope(conversation(back))).toBe(true)
    expect(carriesEnvelope(conversation(reasoning({ signature: "abc" })))).toBe(false)
  })

  test("arrive decrypted at the provider that created them", () => {
    const { messages, lost } = openEnvelopes(conversation(back), signer, "google")
    const opened = { signature: "abc", signedBy: "gemini" as const, id: "r1" }
    expect(messages).toEqual(conversation(reasoning(opened)).messages)
    expect(lost).toEqual([])
  })

  test("reach another provider only as text, and the loss is reported", () => {
    const { messages, lost } = openEnvelopes(conversation(back), signer, "another")
    expect(messages).toEqual(conversation(reasoning({})).messages)
    expect(lost).toEqual([{ name: "reasoning.signature", effect: "dropped" }])
  })

  test("do not reach another provider if they have no text", () => {
    const alone = reasoning({ text: "", signature: signed, isRedacted: true })
    const { messages } = openEnvelopes(conversation(alone), signer, "another")
    expect(messages).toEqual(conversation().messages)
  })
})

test("a long text that is not an envelope is not decoded", () => {
  const text = `tg1:${":".repeat(20_000_000)}`
  expect(threadTime(() => signer.open(text), 20)).toBeLessThan(20)
  expect(signer.open(text)).toBeUndefined()
})
