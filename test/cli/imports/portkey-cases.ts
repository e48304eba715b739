import type { ImportCase } from "./run-import.ts"

type Config = Readonly<Record<string, unknown>>

const gpt = { override_params: { model: "gpt-4o" } }
const claude = { override_params: { model: "claude-sonnet-4-5" } }

/** Configs from Portkey's guides. */
export const PORTKEY_CASES: readonly ImportCase<Config>[] = [
  {
    name: "a single provider",
    source: { provider: "openai", api_key: "sk-written", ...gpt },
    providers: ["openai sk-written"],
    calls: { default: "gpt-4o" },
  },
  {
    name: "a fallback with virtual keys, a cache and retries",
    source: {
      strategy: { mode: "fallback", on_status_codes: [429, 503] },
      cache: { mode: "semantic" },
      retry: { attempts: 3 },
      targets: [
        { virtual_key: "openai-prod", override_params: { model: "gpt-4o", temperature: 0 } },
        { virtual_key: "anthropic_prod", ...claude },
      ],
    },
    providers: ["openai $PORTKEY_OPENAI_PROD_API_KEY", "anthropic $PORTKEY_ANTHROPIC_PROD_API_KEY"],
    calls: { default: "gpt-4o" },
    says: ["config: 'cache'", "config: 'retry'", "'override_params.temperature'"],
  },
  {
    name: "virtual keys with colliding or reserved variable names",
    source: {
      strategy: { mode: "loadbalance" },
      targets: [
        { virtual_key: "openai-eu", weight: 0.5, ...gpt },
        { virtual_key: "openai_eu", weight: 0.5, ...gpt },
        { virtual_key: "openai", custom_host: "http://127.0.0.1:9/v1", weight: 0, ...gpt },
      ],
    },
    providers: [
      "openai $PORTKEY_OPENAI_EU_API_KEY",
      "openai-2 (openai) $PORTKEY_OPENAI_EU_API_KEY_2",
      "openai-compatible http://127.0.0.1:9/v1 $PORTKEY_OPENAI_API_KEY",
    ],
    calls: { default: "gpt-4o" },
  },
  {
    name: "a custom host without a key, which must not get the vendor's",
    source: {
      strategy: { mode: "fallback" },
      targets: [
        { provider: "openai", ...gpt },
        { provider: "openai", custom_host: "http://10.0.0.8:8000/v1", ...gpt },
        {
          provider: "openai",
          custom_host: "https://openrouter.ai/api/v1",
          override_params: { model: "openai/gpt-4o" },
        },
      ],
    },
    providers: [
      "openai $OPENAI_API_KEY",
      "openai-compatible http://10.0.0.8:8000/v1 $PORTKEY_OPENAI_API_KEY",
      "openrouter $PORTKEY_OPENAI_API_KEY",
    ],
    calls: { default: "gpt-4o" },
  },
  {
    name: "load balancing inside of a fallback",
    source: {
      strategy: { mode: "fallback" },
      targets: [
        {
          strategy: { mode: "loadbalance" },
          targets: [
            { provider: "openai", api_key: "sk-a", weight: 0.7, ...gpt },
            { provider: "openai", api_key: "sk-b", weight: 0.3, ...gpt },
          ],
        },
        { provider: "anthropic", api_key: "sk-ant", ...claude },
      ],
    },
    providers: ["openai sk-a", "openai-2 (openai) sk-b", "anthropic sk-ant"],
    calls: { default: "gpt-4o" },
  },
  {
    name: "conditional routing",
    source: {
      strategy: {
        mode: "conditional",
        conditions: [{ query: { "metadata.user_plan": { $eq: "paid" } } }],
        default: "free",
      },
      targets: [
        { name: "paid", virtual_key: "openai-x", ...gpt },
        {
          name: "free",
          strategy: { mode: "fallback" },
          targets: [
            {
              provider: "groq",
              api_key: "gsk",
              override_params: { model: "llama-3.1-8b-instant" },
            },
            {
              provider: "google",
              api_key: "g-key",
              override_params: { model: "gemini-2.5-flash" },
            },
          ],
        },
      ],
    },
    providers: ["openai $PORTKEY_OPENAI_X_API_KEY", "groq gsk", "google g-key"],
    calls: { paid: "gpt-4o", free: "llama-3.1-8b-instant" },
    says: ["config: 'strategy.conditions'", "model: callers have to name it: paid, free"],
  },
  {
    name: "integrations by slug, also in the model's name",
    source: {
      strategy: { mode: "loadbalance" },
      targets: [
        { provider: "@openai-team", ...gpt },
        { override_params: { model: "@anthropic-team/claude-sonnet-4-5" } },
        { provider: "@team-x", override_params: { model: "claude-sonnet-4-5" }, weight: 0 },
        { provider: "@team-x", override_params: { model: "mystery" } },
      ],
    },
    providers: [
      "openai $PORTKEY_OPENAI_TEAM_API_KEY",
      "anthropic $PORTKEY_ANTHROPIC_TEAM_API_KEY",
      "anthropic-2 (anthropic) $PORTKEY_TEAM_X_API_KEY",
    ],
    calls: { "openai/gpt-4o": "gpt-4o" },
    says: ["the vendor 'team-x' is unknown"],
  },
  {
    name: "Azure by its resource, Bedrock and Vertex AI",
    source: {
      strategy: { mode: "fallback" },
      targets: [
        {
          provider: "azure-openai",
          resource_name: "res",
          deployment_id: "gpt-4o",
          api_version: "2024-10-21",
          api_key: "az",
        },
        {
          provider: "bedrock",
          aws_access_key_id: "AKIA",
          aws_secret_access_key: "aws-secret",
          aws_region: "us-east-1",
          override_params: { model: "amazon.nova-pro-v1:0" },
        },
        {
          provider: "vertex-ai",
          vertex_region: "us-central1",
          vertex_service_account_json: {
            type: "service_account",
            client_email: "x@example.com",
            private_key: "-----BEGIN PRIVATE KEY-----\nAAAA\n",
            project_id: "p",
          },
          override_params: { model: "gemini-2.5-flash" },
        },
        {
          provider: "bedrock",
          aws_region: "us-east-1",
          override_params: { model: "amazon.nova-pro-v1:0" },
        },
      ],
    },
    providers: [
      "azure https://res.openai.azure.com az",
      "bedrock us-east-1 AKIA aws-secret",
      "vertex us-central1 x@example.com",
      "bedrock-2 (bedrock) us-east-1 machine",
    ],
    calls: { default: "gpt-4o" },
    says: ["target 4: it has no key"],
  },
  {
    name: "parameters of the whole config, guardrails and a target without a model",
    source: {
      override_params: { model: "gpt-4o-mini" },
      input_guardrails: ["pii"],
      strategy: { mode: "loadbalance" },
      targets: [
        { provider: "openai", api_key: "sk-written", request_timeout: 1000 },
        {
          provider: "mistral-ai",
          api_key: "mi",
          override_params: { model: "mistral-large-latest" },
          weight: 0,
        },
      ],
    },
    providers: ["openai sk-written", "mistral mi"],
    calls: { default: "gpt-4o-mini" },
    says: ["config: 'input_guardrails'", "target 1: 'request_timeout'"],
  },
  {
    name: "an unknown vendor first, so that a fallback takes its place",
    source: {
      strategy: { mode: "fallback" },
      targets: [
        { provider: "workers-ai", api_key: "cf", override_params: { model: "@cf/meta/llama" } },
        { provider: "x-ai", api_key: "xai", override_params: { model: "grok-4.5" } },
        { provider: "together-ai", api_key: "tog" },
      ],
    },
    providers: ["xai xai"],
    calls: { default: "grok-4.5" },
    says: ["is unknown", "'override_params.model' is missing"],
  },
]
