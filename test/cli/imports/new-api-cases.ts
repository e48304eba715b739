import type { ImportCase } from "./run-import.ts"

type Row = Readonly<Record<string, string | number | null>>

/** Rows of a new-api database. Absent columns have their default values. */
export interface NewApiRows {
  readonly channels: readonly Row[]
  readonly users?: readonly Row[]
  readonly tokens?: readonly Row[]
}

const account = (name: string) =>
  JSON.stringify({
    type: "service_account",
    client_email: `${name}@example.iam.gserviceaccount.com`,
    private_key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
    project_id: "example",
  })

export const NEW_API_CASES: readonly ImportCase<NewApiRows>[] = [
  {
    name: "a channel with three keys, one of them disabled and one twice",
    source: {
      channels: [
        {
          type: 1,
          name: "pool",
          key: "sk-one\nsk-two\nsk-off\nsk-one\n",
          models: "gpt-4o,gpt-4o-mini",
          channel_info: '{"is_multi_key":true,"multi_key_status_list":{"2":2}}',
        },
      ],
    },
    providers: ["openai sk-one sk-two"],
    calls: { "gpt-4o": "gpt-4o", "gpt-4o-mini": "gpt-4o-mini" },
    says: ["channel pool: 1 of its keys, which are disabled in new-api"],
  },
  {
    name: "custom channels with the whole endpoint as their address",
    source: {
      channels: [
        {
          type: 8,
          name: "own",
          key: "sk-own",
          base_url: "http://llm.internal:9000/api/chat/completions",
          models: "qwen",
        },
        {
          type: 8,
          name: "deployments",
          key: "azure-key",
          base_url:
            "https://r.openai.azure.com/openai/deployments/{model}/chat/completions?api-version=2024-10-21",
          models: "gpt-4o",
        },
        {
          type: 8,
          name: "router",
          key: "sk-or",
          base_url: "https://openrouter.ai/api/v1/chat/completions",
          models: "openai/gpt-4o",
        },
        {
          type: 8,
          name: "odd",
          key: "k",
          base_url: "http://llm.internal/generate",
          models: "odd-model",
        },
      ],
    },
    providers: [
      "openai-compatible http://llm.internal:9000/api sk-own",
      "azure https://r.openai.azure.com azure-key",
      "openrouter sk-or",
    ],
    calls: { qwen: 402, "gpt-4o": "gpt-4o", "openai/gpt-4o": "openai/gpt-4o", "odd-model": 404 },
    says: ["channel odd: its address is not an endpoint"],
  },
  {
    name: "vendors in China with keys of their own",
    source: {
      channels: [
        { type: 25, name: "kimi", key: "sk-kimi", models: "kimi-k3" },
        { type: 26, name: "glm", key: "id.secret", models: "glm-4.6" },
        { type: 17, name: "qwen", key: "sk-ali", models: "qwen-max" },
        { type: 40, name: "flow", key: "sk-flow", models: "deepseek-ai/DeepSeek-V3" },
        { type: 43, name: "deepseek", key: "sk-deep", models: "deepseek-v4-pro" },
        { type: 26, name: "plan", key: "plan.key", base_url: "glm-coding-plan", models: "glm-4.7" },
      ],
    },
    providers: [
      "moonshot-cn sk-kimi",
      "zhipu id.secret",
      "alibaba https://dashscope.aliyuncs.com/compatible-mode/v1 sk-ali",
      "siliconflow https://api.siliconflow.cn/v1 sk-flow",
      "deepseek sk-deep",
      "zhipu-2 (zhipu) https://open.bigmodel.cn/api/coding/paas/v4 plan.key",
    ],
    calls: {
      "kimi-k3": "kimi-k3",
      "glm-4.6": "glm-4.6",
      "glm-4.7": "glm-4.7",
      "deepseek-v4-pro": "deepseek-v4-pro",
    },
  },
  {
    name: "Anthropic, Gemini, Cohere and Mistral",
    source: {
      channels: [
        { type: 14, name: "claude", key: "sk-ant", models: "claude-sonnet-4-5" },
        {
          type: 14,
          name: "relay",
          key: "sk-relay",
          base_url: "https://relay.example/",
          models: "claude-opus-4-5",
        },
        { type: 24, name: "gemini", key: "g-key", models: "gemini-2.5-flash,gemini-2.5-pro" },
        { type: 34, name: "cohere", key: "co-key", models: "command-a-03-2025" },
        { type: 42, name: "mistral", key: "mi-key", models: "mistral-large-latest" },
      ],
    },
    providers: [
      "anthropic sk-ant",
      "anthropic-2 (anthropic) https://relay.example sk-relay",
      "google g-key",
      "cohere co-key",
      "mistral mi-key",
    ],
    calls: {
      "claude-sonnet-4-5": "claude-sonnet-4-5",
      "claude-opus-4-5": "claude-opus-4-5",
      "gemini-2.5-flash": "gemini-2.5-flash",
      "command-a-03-2025": "command-a-03-2025",
      "mistral-large-latest": "mistral-large-latest",
    },
  },
  {
    name: "Azure and AWS",
    source: {
      channels: [
        {
          type: 3,
          name: "azure",
          key: "az",
          base_url: "https://r.openai.azure.com",
          other: "2024-10-21",
          models: "gpt-4o",
        },
        { type: 3, name: "nowhere", key: "az", models: "gpt-4.1" },
        {
          type: 33,
          name: "aws",
          key: "AKIA1|secret-1|us-east-1\nAKIA2|secret-2|us-east-1",
          models: "claude-haiku",
          model_mapping: '{"claude-haiku":"anthropic.claude-haiku-4-5-20251001-v1:0"}',
        },
        {
          type: 33,
          name: "aws key",
          key: "bedrock-key|eu-west-1",
          models: "nova",
          model_mapping: '{"nova":"amazon.nova-pro-v1:0"}',
        },
        { type: 33, name: "mixed", key: "A|s|us-east-1\nB|s|us-west-2", models: "mixed" },
      ],
    },
    providers: [
      "azure https://r.openai.azure.com az",
      "bedrock us-east-1 AKIA1 secret-1 AKIA2 secret-2",
      "bedrock-2 (bedrock) eu-west-1 bedrock-key",
    ],
    calls: {
      "gpt-4o": "gpt-4o",
      "claude-haiku": "anthropic.claude-haiku-4-5-20251001-v1:0",
      nova: "amazon.nova-pro-v1:0",
      mixed: 404,
    },
    says: [
      "channel nowhere: not carried over",
      "channel mixed: its keys are not all for one region",
    ],
  },
  {
    name: "Vertex AI with several service accounts, and regions by model",
    source: {
      channels: [
        {
          type: 41,
          name: "vertex",
          key: `[${account("one")},${account("two")}]`,
          other: '{"default":"us-central1","gemini-2.5-pro":"europe-west4"}',
          models: "gemini-2.5-flash,gemini-2.5-pro",
          channel_info: '{"is_multi_key":true}',
        },
        {
          type: 41,
          name: "plain",
          key: account("three"),
          other: "global",
          models: "gemini-2.5-flash",
        },
        { type: 41, name: "broken", key: "no json", models: "gemini-2.5-flash" },
      ],
    },
    providers: [
      "vertex us-central1 one@example.iam.gserviceaccount.com two@example.iam.gserviceaccount.com",
      "vertex-2 (vertex) europe-west4 one@example.iam.gserviceaccount.com two@example.iam.gserviceaccount.com",
      "vertex-3 (vertex) global three@example.iam.gserviceaccount.com",
    ],
    calls: { "gemini-2.5-flash": "gemini-2.5-flash", "gemini-2.5-pro": "gemini-2.5-pro" },
    says: ["channel broken: not carried over"],
  },
  {
    name: "priorities, weights and mappings of one model",
    source: {
      channels: [
        {
          type: 1,
          name: "first",
          key: "sk-first",
          models: "chat",
          priority: 10,
          weight: 3,
          model_mapping: '{"chat":"gpt-4o"}',
        },
        {
          type: 1,
          name: "second",
          key: "sk-second",
          models: "chat",
          priority: 10,
          model_mapping: '{"chat":"gpt-4o"}',
        },
        {
          type: 20,
          name: "spare",
          key: "sk-or",
          models: "chat",
          model_mapping: '{"chat":"openai/gpt-4o"}',
        },
        { type: 1, name: "off", key: "sk-off", status: 2, models: "chat" },
      ],
    },
    providers: ["openai sk-first", "openai-2 (openai) sk-second", "openrouter sk-or"],
    calls: { chat: "gpt-4o" },
    says: ["channel off: it is disabled"],
  },
  {
    name: "resellers and own servers",
    source: {
      channels: [
        {
          type: 1,
          name: "reseller",
          key: "sk-re",
          base_url: "https://api.reseller.example",
          models: "gpt-4o",
        },
        {
          type: 1,
          name: "versioned",
          key: "sk-v",
          base_url: "https://api.versioned.example/v1/",
          models: "gpt-4.1",
        },
        {
          type: 4,
          name: "ollama",
          key: "ollama",
          base_url: "http://ollama:11434",
          models: "llama3.2",
        },
        {
          type: 47,
          name: "xinference",
          key: "x",
          base_url: "http://xinference:9997",
          models: "bge",
        },
        { type: 45, name: "ark", key: "ark-key", models: "doubao-pro" },
        { type: 35, name: "minimax", key: "mm-key", models: "abab" },
      ],
    },
    providers: [
      "openai-compatible https://api.reseller.example/v1 sk-re",
      "openai-compatible-2 (openai-compatible) https://api.versioned.example/v1 sk-v",
      "ollama http://ollama:11434/v1 ollama",
      "openai-compatible-3 (openai-compatible) http://xinference:9997/v1 x",
      "volcengine ark-key",
      "openai-compatible-4 (openai-compatible) https://api.minimax.chat/v1 mm-key",
    ],
    calls: { "gpt-4o": 402, "llama3.2": 402, "doubao-pro": 402 },
    says: ["6 of 26 models have no price"],
  },
  {
    name: "types without a counterpart and columns that are not carried over",
    source: {
      channels: [
        { type: 2, name: "images", key: "mj", models: "midjourney" },
        { type: 37, name: "dify", key: "d", models: "dify" },
        {
          type: 1,
          name: "tuned",
          key: "sk-t",
          models: "gpt-4o",
          param_override: '{"temperature":0}',
          group: "vip",
          tag: "eu",
        },
        { type: 1, name: "empty", key: "sk-e", models: "" },
        { type: 1, name: "spaced", key: "sk with space", models: "gpt-4.1" },
      ],
    },
    providers: ["openai sk-t"],
    calls: { "gpt-4o": "gpt-4o", midjourney: 404, "gpt-4.1": "gpt-4.1" },
    says: [
      "channel images: its type 2",
      "channel tuned: 'param_override'",
      "channel tuned: 'group'",
      "channel spaced: not carried over",
    ],
  },
  {
    name: "users and tokens",
    source: {
      channels: [{ type: 1, name: "main", key: "sk-main", models: "gpt-4o" }],
      users: [
        { id: 1, username: "root", quota: 500_000_000, status: 1 },
        { id: 2, username: "blocked", quota: 10, status: 2, email: "b@example.com" },
        { id: 3, username: "deleted", quota: 10, status: 1, deleted_at: "2026-01-01" },
      ],
      tokens: [
        {
          id: 1,
          user_id: 1,
          key: "a".repeat(48),
          name: "main",
          unlimited_quota: 1,
          expired_time: -1,
        },
        {
          id: 2,
          user_id: 1,
          key: "b".repeat(48),
          name: "old",
          unlimited_quota: 1,
          expired_time: 1_700_000_000,
        },
        {
          id: 3,
          user_id: 1,
          key: "c".repeat(48),
          name: "home",
          remain_quota: 5,
          allow_ips: "not an address",
        },
        { id: 4, user_id: 3, key: "d".repeat(48), name: "gone", unlimited_quota: 1 },
      ],
    },
    providers: ["openai sk-main"],
    calls: { "gpt-4o": "gpt-4o" },
    says: [
      "account root: 1 keys, 1000 credits",
      "key old: it is used up or expired",
      "key home: 'not' is not an address",
      "user b@example.com: invite them",
    ],
  },
]
