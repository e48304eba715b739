import type { ModelRules } from "#contract/model-rules.ts"
import { MOONSHOT, ZAI } from "./rule-row.ts"

/** The request field that switches reasoning off at a vendor. */
export interface ReasoningSwitch {
  readonly off: NonNullable<ModelRules["reasoning_off"]>
  readonly source: string
}

export const SWITCHES: ReadonlyMap<string, ReasoningSwitch> = new Map([
  [
    "minimax",
    { off: "thinking", source: "platform.minimax.io/docs/api-reference/text-chat-openai" },
  ],
  ["alibaba", { off: "enable_thinking", source: "help.aliyun.com/zh/model-studio/deep-thinking" }],
  ["deepseek", { off: "none", source: "api-docs.deepseek.com/guides/reasoning_model" }],
  ...MOONSHOT.map((vendor): [string, ReasoningSwitch] => [
    vendor,
    { off: "thinking", source: "platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model" },
  ]),
  [
    "siliconflow",
    { off: "enable_thinking", source: "docs.siliconflow.com/capabilities/reasoning" },
  ],
  ["tencent", { off: "thinking", source: "www.tencentcloud.com/document/product/1300/80637" }],
  ["volcengine", { off: "thinking", source: "www.volcengine.com/docs/82379/1494384" }],
  ["xiaomi", { off: "thinking", source: "platform.xiaomimimo.com/docs/en-US/api/chat/openai-api" }],
  ...ZAI.map((vendor): [string, ReasoningSwitch] => [
    vendor,
    { off: "thinking", source: "docs.z.ai/guides/capabilities/thinking-mode" },
  ]),
])
