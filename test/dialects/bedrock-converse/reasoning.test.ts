import { describe, expect, test } from "bun:test"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import { assistant, call, result, text, tool, user } from "./conversation.ts"
import { bodyOf, CLAUDE, lossesOf, NOVA } from "./fixtures.ts"
import { GPT, GPT_OSS, LLAMA, OPUS_4_7 } from "./models.ts"

describe("the Bedrock reasoning encoder", () => {
  /** Returns the request that the model's vendor receives. */
  function asked(model: string, reasoning: ChatRequest["reasoning"], maxTokens?: number) {
    const more = { model, reasoning: reasoning!, ...(maxTokens === undefined ? {} : { maxTokens }) }
    return [bodyOf(more).additionalModelRequestFields, lossesOf(more)]
  }
  const thinking = (budget: number) => ({
    thinking: { type: "enabled", budget_tokens: budget },
  })
  const adaptive = (effort: string) => ({
    thinking: { type: "adaptive" },
    output_config: { effort },
  })

  test("sends a budget to Claude 4.5 and earlier", () => {
    expect(asked(CLAUDE, { budget: 2000 })).toEqual([thinking(2000), []])
    expect(asked(CLAUDE, { effort: "medium" }, 10_000)).toEqual([thinking(5000), []])
    expect(asked(CLAUDE, { effort: "low" }, 3000)).toEqual([thinking(1024), []])
    expect(asked(CLAUDE, { effort: "high" })).toEqual([thinking(13_107), []])
  })

  test("lowers a budget to leave room for a response, or drops the budget", () => {
    expect(asked(CLAUDE, { budget: 5000 }, 4000)).toEqual([
      thinking(3999),
      ["reasoning_budget:approximated"],
    ])
    expect(asked(CLAUDE, { budget: 100 })).toEqual([
      thinking(1024),
      ["reasoning_budget:approximated"],
    ])
    expect(asked(CLAUDE, { effort: "high" }, 1024)).toEqual([
      undefined,
      ["reasoning_effort:dropped"],
    ])
    expect(asked(CLAUDE, { budget: 2000 }, 1024)).toEqual([undefined, ["reasoning_budget:dropped"]])
    expect(asked(CLAUDE, { effort: "high" }, 1025)).toEqual([thinking(1024), []])
  })

  test("sets a medium effort for adaptive thinking and unknown efforts", () => {
    const middle = [thinking(8192), ["reasoning_effort:approximated"]]
    expect(asked(CLAUDE, { isAdaptive: true })).toEqual(middle)
    expect(asked(CLAUDE, { effort: "galactic" })).toEqual(middle)
  })

  test("sends the requested budget or effort to Claude 4.6", () => {
    const model = "us.anthropic.claude-sonnet-4-6"
    expect(asked(model, { budget: 2000 })).toEqual([thinking(2000), []])
    expect(asked(model, { effort: "high" })).toEqual([adaptive("high"), []])
    expect(asked(model, { effort: "xhigh" })).toEqual([adaptive("high"), []])
    expect(asked(model, { effort: "minimal" })).toEqual([adaptive("low"), []])
    expect(asked(model, { isAdaptive: true })).toEqual([{ thinking: { type: "adaptive" } }, []])
  })

  test("sends an effort to Claude 4.7 and later, and requests summarized thoughts if the caller does", () => {
    expect(asked(OPUS_4_7, { effort: "xhigh" })).toEqual([adaptive("xhigh"), []])
    expect(asked(OPUS_4_7, { budget: 2000 })).toEqual([
      adaptive("low"),
      ["reasoning_budget:approximated"],
    ])
    expect(asked(OPUS_4_7, { isAdaptive: true, summary: "auto" })).toEqual([
      { thinking: { type: "adaptive", display: "summarized" } },
      [],
    ])
    expect(asked(OPUS_4_7, { isAdaptive: true, summary: "none" })).toEqual([
      { thinking: { type: "adaptive", display: "omitted" } },
      [],
    ])
    expect(asked(OPUS_4_7, { effort: "galactic" })).toEqual([
      { thinking: { type: "adaptive" } },
      ["reasoning_effort:dropped"],
    ])
  })

  test("sends an effort to Nova 2, without an output limit at the highest effort", () => {
    const nova = (effort: string) => ({
      reasoningConfig: { type: "enabled", maxReasoningEffort: effort },
    })
    expect(asked(NOVA, { effort: "low" }, 100)).toEqual([nova("low"), []])
    expect(asked(NOVA, { effort: "high" })).toEqual([nova("high"), []])
    expect(asked(NOVA, { effort: "high" }, 100)).toEqual([
      nova("medium"),
      ["reasoning_effort:approximated"],
    ])
    expect(asked(NOVA, { effort: "none" })).toEqual([undefined, []])
    expect(asked("amazon.nova-lite-v1:0", { effort: "low" })).toEqual([
      undefined,
      ["reasoning_effort:dropped"],
    ])
  })

  test("sends an effort to OpenAI's models in the field of each model", () => {
    expect(asked(GPT_OSS, { effort: "medium" })).toEqual([{ reasoning_effort: "medium" }, []])
    expect(asked(GPT_OSS, { effort: "none" })).toEqual([
      { reasoning_effort: "low" },
      ["reasoning_effort:approximated"],
    ])
    expect(asked(GPT_OSS, { budget: 9000 })).toEqual([
      { reasoning_effort: "high" },
      ["reasoning_budget:approximated"],
    ])
    expect(asked(GPT_OSS, { isAdaptive: true })).toEqual([
      { reasoning_effort: "medium" },
      ["reasoning_effort:approximated"],
    ])
    expect(asked(GPT, { effort: "none" })).toEqual([{ reasoning: { effort: "none" } }, []])
    expect(asked(GPT, { effort: "galactic" })).toEqual([undefined, ["reasoning_effort:dropped"]])
  })

  test("requests no reasoning if the caller disables reasoning", () => {
    expect(asked(CLAUDE, { effort: "none" })).toEqual([undefined, []])
    expect(asked(CLAUDE, { budget: 0 })).toEqual([undefined, []])
    expect(asked(LLAMA, { effort: "none" })).toEqual([undefined, []])
    expect(asked(OPUS_4_7, { effort: "none" })).toEqual([
      undefined,
      ["reasoning_effort:approximated"],
    ])
  })

  test("requests no reasoning if only a summary option is set", () => {
    for (const model of [CLAUDE, OPUS_4_7, NOVA, GPT, LLAMA]) {
      expect(asked(model, { summary: "auto" })).toEqual([undefined, []])
    }
  })

  test("reports a loss for models without reasoning", () => {
    expect(asked(LLAMA, { effort: "low" })).toEqual([undefined, ["reasoning_effort:dropped"]])
    expect(asked(LLAMA, { budget: 2000 })).toEqual([undefined, ["reasoning_budget:dropped"]])
  })

  test("drops sampling parameters for Claude, and for Nova at its highest effort", () => {
    const sampling = { temperature: 0.5, topK: 4 }
    const reasoning = { effort: "high" }
    expect(bodyOf({ reasoning, ...sampling })).not.toHaveProperty("inferenceConfig")
    expect(lossesOf({ reasoning, ...sampling })).toEqual(["temperature:dropped", "top_k:dropped"])
    expect(lossesOf({ model: NOVA, reasoning, ...sampling })).toEqual([
      "temperature:dropped",
      "top_k:dropped",
    ])
    expect(lossesOf({ model: NOVA, reasoning: { effort: "low" }, ...sampling })).toEqual([])
    expect(lossesOf({ model: GPT_OSS, reasoning, temperature: 0.5 })).toEqual([])
  })

  test("drops reasoning if a tool call is required", () => {
    const more = {
      reasoning: { effort: "high" },
      tools: [{ name: "look" }],
      toolChoice: { type: "required" as const },
    }
    expect(bodyOf(more)).not.toHaveProperty("additionalModelRequestFields")
    expect(lossesOf(more)).toEqual(["reasoning_effort:dropped"])
  })

  test("does not start reasoning between a call and its result, except adaptive reasoning", () => {
    const more = {
      messages: [user(text("a")), assistant(call("1")), tool(result("1", "x"))],
      tools: [{ name: "look" }],
      reasoning: { effort: "high" },
    }
    expect(lossesOf(more)).toEqual(["reasoning_effort:dropped"])
    expect(lossesOf({ ...more, model: OPUS_4_7 })).toEqual([])
    const thought = {
      type: "reasoning" as const,
      text: "Hm",
      signature: "s",
      signedBy: "bedrock-converse" as const,
    }
    const begun = [user(text("a")), assistant(thought, call("1")), tool(result("1", "x"))]
    expect(lossesOf({ ...more, messages: begun })).toEqual([])
    const over = [...more.messages, assistant(text("b")), user(text("c"))]
    expect(lossesOf({ ...more, messages: over })).toEqual([])
  })
})
