import { COMPATIBLE } from "./addresses.ts"

/** The connection of new-api's channels of one type. */
export interface ChannelType {
  /** The gateway's id of the vendor. */
  readonly vendor: string
  /** Used for channels without an address; if absent, the vendor's default address. */
  readonly address?: string
  /** The path between the address and the endpoints. */
  readonly path?: string
}

function compatible(address: string, path = "/v1"): ChannelType {
  return { vendor: COMPATIBLE, address, path }
}

/** The channel types that can be imported. @see new-api, constant/channel.go and relay/channel. */
export const CHANNEL_TYPES: Readonly<Record<number, ChannelType>> = {
  1: { vendor: "openai", address: "https://api.openai.com", path: "/v1" },
  3: { vendor: "azure" },
  4: { vendor: "ollama", address: "http://localhost:11434", path: "/v1" },
  6: compatible("https://api.openaimax.com"),
  7: compatible("https://api.ohmygpt.com"),
  9: compatible("https://api.caipacity.com"),
  10: compatible("https://api.aiproxy.io"),
  12: compatible("https://api.api2gpt.com"),
  13: compatible("https://api.aigc2d.com"),
  14: { vendor: "anthropic" },
  16: { vendor: "zhipu", address: "https://open.bigmodel.cn", path: "/api/paas/v4" },
  17: { vendor: "alibaba", address: "https://dashscope.aliyuncs.com", path: "/compatible-mode/v1" },
  19: compatible("https://api.360.cn"),
  20: { vendor: "openrouter", address: "https://openrouter.ai/api", path: "/v1" },
  22: compatible("https://fastgpt.run/api/openapi"),
  24: { vendor: "google" },
  25: { vendor: "moonshot-cn", address: "https://api.moonshot.cn", path: "/v1" },
  26: { vendor: "zhipu", address: "https://open.bigmodel.cn", path: "/api/paas/v4" },
  27: { vendor: "perplexity" },
  31: compatible("https://api.lingyiwanwu.com"),
  33: { vendor: "bedrock" },
  34: { vendor: "cohere" },
  35: compatible("https://api.minimax.chat"),
  38: { vendor: "jina" },
  40: { vendor: "siliconflow", address: "https://api.siliconflow.cn", path: "/v1" },
  41: { vendor: "vertex" },
  42: { vendor: "mistral", address: "https://api.mistral.ai", path: "/v1" },
  43: { vendor: "deepseek", address: "https://api.deepseek.com", path: "/v1" },
  44: compatible("https://api.moka.ai"),
  45: { vendor: "volcengine", address: "https://ark.cn-beijing.volces.com", path: "/api/v3" },
  46: compatible("https://qianfan.baidubce.com", "/v2"),
  47: { vendor: COMPATIBLE, path: "/v1" },
  48: { vendor: "xai", address: "https://api.x.ai", path: "/v1" },
  53: compatible("https://llm.submodel.ai"),
}

/** The type of channels whose address is a complete endpoint, with `{model}` for the model's name. */
export const CUSTOM_TYPE = 8
/** The type of channels whose address contains the account's id, which is in `other`. */
export const CLOUDFLARE_TYPE = 39

/** The addresses that new-api uses for plan names. */
export const PLAN_ADDRESSES: Readonly<Record<string, string>> = {
  "glm-coding-plan": "https://open.bigmodel.cn/api/coding/paas/v4",
  "glm-coding-plan-international": "https://api.z.ai/api/coding/paas/v4",
  "kimi-coding-plan": "https://api.kimi.com/coding/v1",
  "doubao-coding-plan": "https://ark.cn-beijing.volces.com/api/coding/v3",
}
