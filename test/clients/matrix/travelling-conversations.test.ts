import { expect, test } from "bun:test"
import { AI_SDK_ANTHROPIC_CLIENT, AI_SDK_RESPONSES_CLIENT } from "./ai-sdk-clients.ts"
import { ANTHROPIC_CLIENT } from "./anthropic-client.ts"
import { CALLS, type TestedClient } from "./conversation.ts"
import { OPENAI_CHAT_CLIENT } from "./openai-chat-client.ts"
import { OPENAI_RESPONSES_CLIENT } from "./openai-responses-client.ts"
import { modelAt, sixUpstreams, type Upstream, UPSTREAMS } from "./six-upstreams.ts"
import { FACTS, proofsIn } from "./upstream-facts.ts"
import { sampleCombinations } from "../../support/exhaustive.ts"

const upstreams = sixUpstreams()

const CLIENTS = [
  OPENAI_CHAT_CLIENT,
  ANTHROPIC_CLIENT,
  OPENAI_RESPONSES_CLIENT,
  AI_SDK_ANTHROPIC_CLIENT,
  AI_SDK_RESPONSES_CLIENT,
]

for (const [client, first, second, isStreamed] of sampleCombinations(
  4,
  CLIENTS,
  UPSTREAMS,
  UPSTREAMS,
  [false, true],
)) {
  if (second === first) continue
  const path = `begins with ${first}, continues with ${second} and returns`
  test(`${client.name}: a conversation ${path}${isStreamed ? ", streamed" : ""}`, () =>
    travel(client, first, second, isStreamed))
}

/** The value that Google accepts in place of a signature. */
const DUMMY = "skip_thought_signature_validator"

async function travel(
  client: TestedClient,
  first: Upstream,
  second: Upstream,
  isStreamed: boolean,
): Promise<void> {
  const conversation = client.begin(upstreams)
  const options = { isStreamed, hasTools: true, thinks: true }

  const begun = await conversation.say(modelAt(first), { text: "Use weather and clock" }, options)
  expect(begun.calls).toEqual([...CALLS])

  const answered = await conversation.answerCalls(modelAt(second), ["sunny", "noon"], options)
  expect(answered.text).toBe("The tools answered: sunny; noon")
  expect(upstreams.heard.get("x-tollgate-provider")).toBe(second)
  expect(proofsIn(upstreams.sent).filter((proof) => proof !== DUMMY)).toEqual([])
  if (FACTS[first].signs) expect(upstreams.losses).toContain("reasoning.signature:dropped")

  const back = await conversation.say(modelAt(first), { text: "Thank you" }, options)
  expect(back.text).toBe("Thank you")
  expect(upstreams.heard.get("x-tollgate-provider")).toBe(first)
  const proofs = proofsIn(upstreams.sent).filter((proof) => proof !== DUMMY)
  expect(proofs.length > 0).toBe(FACTS[first].signs)
}
