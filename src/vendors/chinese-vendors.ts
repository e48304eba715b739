import { SEPARATE_REASONING } from "../canon/separate-reasoning.ts"
import type { OpenAiChatQuirks } from "../dialects/openai-chat/quirks/index.ts"
import { AS_OPENAI, type CompatibleRow, CUTS_STOPS, USUAL_TEMPERATURE } from "./compatible-row.ts"

/** Quirks of Moonshot. For models since kimi-k2.5, `n` must be 1 (platform.moonshot.ai/docs/api/models-overview). */
const MOONSHOT = { ...CUTS_STOPS, reasoningHistory: "text", maxTemperature: 1 } as const

/**
 * Quirks of Z.ai. The default temperature of older models is 0.6 or 0.75, and `stop` accepts one sequence
 * (docs.z.ai/api-reference/llm/chat-completion; docs.bigmodel.cn/api-reference, "Chat completion").
 */
const ZAI = { ...MOONSHOT, defaultFields: USUAL_TEMPERATURE, stops: 1 } as const

function separateReasoning(vendor: string): Partial<OpenAiChatQuirks> {
  const own = SEPARATE_REASONING[vendor]
  return own === undefined ? {} : { separateReasoning: own }
}

/** Compatible vendors from China, at their international and Chinese addresses. */
export const CHINESE_VENDORS: readonly CompatibleRow[] = [
  {
    id: "moonshot",
    name: "Moonshot AI",
    baseUrl: "https://api.moonshot.ai/v1",
    keyVariables: ["MOONSHOT_API_KEY"],
    embedding: "none",
    quirks: MOONSHOT,
  },
  {
    id: "moonshot-cn",
    name: "Moonshot AI (China)",
    // The same API in China, with separate keys: platform.moonshot.cn/docs/api/chat.
    baseUrl: "https://api.moonshot.cn/v1",
    keyVariables: ["MOONSHOT_CN_API_KEY"],
    embedding: "none",
    quirks: MOONSHOT,
  },
  {
    id: "zai",
    name: "Z.ai",
    baseUrl: "https://api.z.ai/api/paas/v4",
    keyVariables: ["ZAI_API_KEY"],
    quirks: ZAI,
  },
  {
    id: "zhipu",
    name: "Zhipu AI (China)",
    // The API of Z.ai in China, with separate keys: docs.bigmodel.cn/cn/api.
    baseUrl: "https://open.bigmodel.cn/api/paas/v4",
    keyVariables: ["ZHIPU_API_KEY", "ZHIPUAI_API_KEY"],
    quirks: ZAI,
  },
  {
    id: "minimax",
    name: "MiniMax",
    baseUrl: "https://api.minimax.io/v1",
    keyVariables: ["MINIMAX_API_KEY"],
    embedding: "none",
    // The limit is `max_completion_tokens`, and the temperature is at most 1
    // (platform.minimax.io/docs/api-reference/text-chat-openai). The listed fields are ignored (text-openai-api).
    // Without `reasoning_split`, the text contains the reasoning in `<think>`. With it, the reasoning is in
    // `reasoning_details`, which earlier turns must contain again.
    quirks: {
      defaultFields: { reasoning_split: true },
      reasoningHistory: "details",
      maxTokensField: "max_completion_tokens",
      maxTemperature: 1,
      dropFields: [
        "frequency_penalty",
        "function_call",
        "functions",
        "logit_bias",
        "presence_penalty",
      ],
    },
  },
  {
    id: "volcengine",
    name: "Volcengine Ark (Doubao)",
    baseUrl: "https://ark.cn-beijing.volces.com/api/v3",
    keyVariables: ["ARK_API_KEY", "VOLCENGINE_API_KEY"],
    // `max_tokens` does not limit the reasoning, but `max_completion_tokens` does
    // (www.volcengine.com/docs/82379/1494384). Models that reason do not support `stop`.
    quirks: { maxTokensField: "max_completion_tokens", reasoningHistory: "text" },
  },
  {
    id: "tencent",
    name: "Tencent TokenHub (Hunyuan)",
    // Sources: www.tencentcloud.com/document/product/1300/80632 and, for `stop`, 78942.
    baseUrl: "https://tokenhub-intl.tencentcloudmaas.com/v1",
    keyVariables: ["TENCENT_API_KEY", "TENCENT_TOKENHUB_API_KEY"],
    embedding: "none",
    quirks: { ...CUTS_STOPS, reasoningHistory: "text" },
  },
  {
    id: "stepfun",
    name: "StepFun",
    // The reasoning is in `reasoning`, and the default temperature is 0.5
    // (platform.stepfun.ai/docs/en/api-reference/chat/chat-completion-create). Outside of China, the address is
    // api.stepfun.ai, with separate keys.
    baseUrl: "https://api.stepfun.com/v1",
    keyVariables: ["STEPFUN_API_KEY", "STEP_API_KEY"],
    embedding: "none",
    quirks: { reasoningField: "reasoning", defaultFields: USUAL_TEMPERATURE },
  },
  {
    id: "xiaomi",
    name: "Xiaomi MiMo",
    baseUrl: "https://api.xiaomimimo.com/v1",
    keyVariables: ["XIAOMI_MIMO_API_KEY", "XIAOMI_API_KEY", "MIMO_API_KEY"],
    embedding: "none",
    // Reasoning before calls must be sent back (platform.xiaomimimo.com/docs/en-US/api/chat/openai-api, and
    // usage-guide/passing-back-reasoning_content).
    quirks: {
      ...CUTS_STOPS,
      maxTokensField: "max_completion_tokens",
      reasoningHistory: "text",
      maxTemperature: 1.5,
    },
  },
  {
    id: "alibaba",
    name: "Alibaba Model Studio",
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    keyVariables: ["DASHSCOPE_API_KEY"],
    quirks: { ...CUTS_STOPS, topK: true, ...separateReasoning("alibaba") },
    // Alibaba only documents `float` (docs/contribute/wire/embeddings.md#f8).
    embedding: { base64: false },
  },
  {
    id: "siliconflow",
    name: "SiliconFlow",
    baseUrl: "https://api.siliconflow.com/v1",
    keyVariables: ["SILICONFLOW_API_KEY"],
    quirks: { ...AS_OPENAI, topK: true, ...separateReasoning("siliconflow") },
  },
]
