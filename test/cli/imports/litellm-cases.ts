import type { ImportCase } from "./run-import.ts"

const SERVICE_ACCOUNT = JSON.stringify({
  type: "service_account",
  client_email: "proxy@example-project.iam.gserviceaccount.com",
  private_key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
  project_id: "example-project",
})

/** Settings files from the guides of LiteLLM and from public repositories. */
export const LITELLM_CASES: readonly ImportCase[] = [
  {
    name: "a local server with a written key before OpenAI with a variable",
    source: `
model_list:
  - { model_name: whisper-host, litellm_params: { model: openai/llama3, api_base: "http://127.0.0.1:8930/v1", api_key: none } }
  - { model_name: studio, litellm_params: { model: openai/qwen3, api_base: "http://10.0.0.7:1234/v1", api_key: lm-studio } }
  - { model_name: gpt-4o, litellm_params: { model: openai/gpt-4o, api_key: os.environ/OPENAI_API_KEY } }
  - { model_name: claude, litellm_params: { model: anthropic/claude-sonnet-4-5, api_key: sk-ant-written } }
`,
    providers: [
      "openai-compatible http://127.0.0.1:8930/v1 none",
      "openai-compatible-2 (openai-compatible) http://10.0.0.7:1234/v1 lm-studio",
      "openai $OPENAI_API_KEY",
      "anthropic sk-ant-written",
    ],
    calls: { "gpt-4o": "gpt-4o", claude: "claude-sonnet-4-5", studio: 402 },
  },
  {
    name: "Azure with versions, an empty deployment and an address in a variable",
    source: `
model_list:
  - model_name: gpt-4o
    litellm_params: { model: azure/gpt-4o, api_base: "https://resource.openai.azure.com/", api_version: "2024-10-21", api_key: os.environ/AZURE_API_KEY, rpm: 480 }
  - model_name: gpt-4.1
    litellm_params: { model: azure/gpt-4.1, api_base: "https://resource.openai.azure.com/openai/deployments/gpt-4.1/chat/completions?api-version=2024-10-21", api_key: os.environ/AZURE_API_KEY }
  - model_name: dall-e
    litellm_params: { model: azure/, api_version: 2023-06-01-preview, api_base: "https://resource.openai.azure.com/", api_key: os.environ/AZURE_API_KEY }
  - model_name: eu
    litellm_params: { model: azure/gpt-4o-mini, api_base: os.environ/AZURE_EU_BASE, api_key: azure-written, api_version: os.environ/AZURE_VERSION }
  - model_name: implicit
    litellm_params: { model: azure/gpt-4o }
  - model_name: local-azure
    litellm_params: { model: azure/gpt-4o, api_base: "http://127.0.0.1:9" }
`,
    providers: [
      "azure https://resource.openai.azure.com $AZURE_API_KEY",
      "azure-2 (azure) $AZURE_EU_BASE azure-written",
      "azure-3 (azure) $AZURE_API_BASE $AZURE_API_KEY",
      "azure-4 (azure) http://127.0.0.1:9",
    ],
    calls: { "gpt-4o": "gpt-4o", "gpt-4.1": "gpt-4.1", eu: "gpt-4o-mini", "dall-e": 404 },
    says: ["'api_version' is not needed", "model dall-e: it names no model or deployment"],
  },
  {
    name: "roles of clouds, and fallbacks to models that are missing",
    source: `
model_list:
  - { model_name: nova, litellm_params: { model: bedrock/us.amazon.nova-pro-v1:0, aws_region_name: us-west-2, aws_role_name: "arn:aws:iam::1:role/x" } }
  - { model_name: gemini-pro, litellm_params: { model: vertex_ai/gemini-2.5-pro, vertex_project: os.environ/GCP_PROJECT, vertex_location: us-central1 } }
  - { model_name: nowhere, litellm_params: { model: bedrock/amazon.nova-pro-v1:0 } }
  - { model_name: gpt-4o-mini, litellm_params: { model: gpt-4o-mini } }
router_settings: { fallbacks: [{ gpt-4o-mini: [nova, missing-model, nowhere] }] }
`,
    providers: [
      "bedrock us-west-2 machine",
      "vertex us-central1 machine",
      "openai $OPENAI_API_KEY",
    ],
    calls: {
      "gpt-4o-mini": "gpt-4o-mini",
      nova: "us.amazon.nova-pro-v1:0",
      "gemini-pro": "gemini-2.5-pro",
      nowhere: 404,
    },
    says: [
      "model nova: it has no key: it signs with the identity of the machine",
      "model nova: 'litellm_params.aws_role_name'",
      "model nowhere: not carried over",
      "fallback of gpt-4o-mini: the model 'missing-model' is not carried over",
      "fallback of gpt-4o-mini: the model 'nowhere' is not carried over",
    ],
  },
  {
    name: "clouds with keys, also inline and in a path",
    source: `
model_list:
  - model_name: claude
    litellm_params: { model: bedrock/converse/us.anthropic.claude-sonnet-4-5-20250929-v1:0, aws_region_name: us-east-1, aws_access_key_id: os.environ/AWS_ACCESS_KEY_ID, aws_secret_access_key: os.environ/AWS_SECRET_ACCESS_KEY }
  - model_name: haiku
    litellm_params: { model: bedrock/us-west-2/anthropic.claude-haiku-4-5-20251001-v1:0, aws_bedrock_runtime_endpoint: "https://vpce-1.bedrock-runtime.us-west-2.vpce.amazonaws.com", aws_access_key_id: AKIAWRITTEN, aws_secret_access_key: aws-written-secret }
  - model_name: gemini
    litellm_params: { model: vertex_ai/gemini-2.5-flash, vertex_location: europe-west1, vertex_credentials: '${SERVICE_ACCOUNT}' }
  - model_name: partner
    litellm_params: { model: vertex_ai/claude-sonnet-4-5, vertex_project: p, vertex_credentials: '${SERVICE_ACCOUNT}' }
  - model_name: no-file
    litellm_params: { model: vertex_ai/gemini-2.5-pro, vertex_credentials: /app/not-on-this-machine.json }
`,
    providers: [
      "bedrock us-east-1 $AWS_ACCESS_KEY_ID $AWS_SECRET_ACCESS_KEY",
      "bedrock-2 (bedrock) https://vpce-1.bedrock-runtime.us-west-2.vpce.amazonaws.com us-west-2 AKIAWRITTEN aws-written-secret",
      "vertex europe-west1 proxy@example-project.iam.gserviceaccount.com",
    ],
    calls: {
      claude: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
      haiku: "anthropic.claude-haiku-4-5-20251001-v1:0",
      gemini: "gemini-2.5-flash",
      partner: 404,
      "no-file": 404,
    },
    says: [
      "of Vertex AI's models, Tollgate can call only Google's",
      "model no-file: not carried over",
    ],
  },
  {
    name: "addresses of known vendors under OpenAI's name",
    source: `
model_list:
  - { model_name: router-claude, litellm_params: { model: openai/anthropic/claude-sonnet-4.5, api_base: "https://openrouter.ai/api/v1", api_key: os.environ/OPENROUTER_API_KEY } }
  - { model_name: deepseek, litellm_params: { model: openai/deepseek-v4-pro, api_base: "https://api.deepseek.com/v1/", api_key: sk-deepseek } }
  - { model_name: kimi, litellm_params: { model: openai/kimi-k3, api_base: "https://api.moonshot.cn/v1", api_key: sk-kimi-china } }
  - { model_name: gemini, litellm_params: { model: openai/gemini-2.5-flash, api_base: "https://generativelanguage.googleapis.com/v1beta/openai/", api_key: os.environ/GEMINI_API_KEY } }
  - { model_name: llama, litellm_params: { model: custom_openai/llama-3.3-70b-versatile, api_base: "https://api.groq.com/openai/v1", api_key: gsk-written } }
`,
    providers: [
      "openrouter $OPENROUTER_API_KEY",
      "deepseek sk-deepseek",
      "moonshot-cn sk-kimi-china",
      "google $GEMINI_API_KEY",
      "groq gsk-written",
    ],
    calls: {
      "router-claude": "anthropic/claude-sonnet-4.5",
      deepseek: "deepseek-v4-pro",
      kimi: "kimi-k3",
      gemini: "gemini-2.5-flash",
      llama: "llama-3.3-70b-versatile",
    },
  },
  {
    name: "models of vendors without chat, with a kind missing in the source",
    source: `
model_list:
  - { model_name: gpt-4o, litellm_params: { model: openai/gpt-4o, api_key: os.environ/OPENAI_API_KEY } }
  - { model_name: rerank, litellm_params: { model: jina_ai/jina-reranker-own, api_key: jina-written } }
  - { model_name: listen, litellm_params: { model: deepgram/nova-own, api_key: deepgram-written } }
  - { model_name: elevenlabs/eleven_own, litellm_params: { model: elevenlabs/eleven_own, api_key: eleven-written } }
`,
    providers: [
      "openai $OPENAI_API_KEY",
      "jina jina-written",
      "deepgram deepgram-written",
      "elevenlabs eleven-written",
    ],
    calls: { "gpt-4o": "gpt-4o", rerank: 404, listen: 404 },
    says: [
      "model rerank: no provider offers it as jina/jina-reranker-own",
      "model listen: no provider offers it",
      "model elevenlabs/eleven_own: no provider offers it",
    ],
  },
  {
    name: "named credentials, merge keys and shared deployments",
    source: `
x-defaults: &defaults { api_key: os.environ/OPENAI_API_KEY, timeout: 30 }
credential_list:
  - { credential_name: azure_main, credential_values: { api_key: os.environ/AZURE_MAIN_KEY, api_base: "https://main.openai.azure.com" }, credential_info: {} }
model_list:
  - { model_name: chat, litellm_params: { <<: *defaults, model: openai/gpt-4o-mini, weight: 3 } }
  - { model_name: chat, litellm_params: { model: azure/gpt-4o-mini, litellm_credential_name: azure_main } }
  - { model_name: mini, litellm_params: { <<: *defaults, model: openai/gpt-4o-mini, input_cost_per_token: 0.000001, output_cost_per_token: 1e-16 } }
  - { model_name: mini-cheap, litellm_params: { <<: *defaults, model: openai/gpt-4o-mini } }
`,
    providers: ["openai $OPENAI_API_KEY", "azure https://main.openai.azure.com $AZURE_MAIN_KEY"],
    calls: { chat: "gpt-4o-mini", mini: "gpt-4o-mini", "mini-cheap": "gpt-4o-mini" },
    says: ["'litellm_params.timeout'", "settings: 'x-defaults.api_key'"],
  },
  {
    name: "wildcards and a fallback in both directions",
    source: `
model_list:
  - { model_name: "*", litellm_params: { model: "openai/*", api_key: os.environ/OPENAI_API_KEY } }
  - { model_name: "anthropic/*", litellm_params: { model: "anthropic/*", api_key: os.environ/ANTHROPIC_API_KEY } }
  - { model_name: "local/*", litellm_params: { model: "openai/*", api_base: "http://vllm:8000/v1", api_key: EMPTY } }
  - { model_name: fast, litellm_params: { model: groq/llama-3.1-8b-instant } }
  - { model_name: smart, litellm_params: { model: mistral/mistral-large-latest, api_key: os.environ/MISTRAL_API_KEY } }
litellm_settings: { fallbacks: [{ fast: [smart] }, { smart: [fast] }], context_window_fallbacks: [{ fast: [smart] }] }
`,
    providers: [
      "openai $OPENAI_API_KEY",
      "anthropic $ANTHROPIC_API_KEY",
      "openai-compatible http://vllm:8000/v1 EMPTY",
      "groq $GROQ_API_KEY",
      "mistral $MISTRAL_API_KEY",
    ],
    calls: {
      fast: "llama-3.1-8b-instant",
      smart: "mistral-large-latest",
      "anthropic/claude-sonnet-4-5": "claude-sonnet-4-5",
      "gpt-4o": "gpt-4o",
    },
    says: ["model local/*: name the models of openai-compatible", "context_window_fallbacks"],
  },
  {
    name: "a home server with Ollama, vLLM and LM Studio",
    source: `
model_list:
  - { model_name: llama3, litellm_params: { model: ollama_chat/llama3.2, api_base: "http://ollama:11434", input_cost_per_token: 0, output_cost_per_token: 0 } }
  - { model_name: mistral-7b, litellm_params: { model: hosted_vllm/mistralai/Mistral-7B, api_base: "http://vllm:8000/v1", input_cost_per_token: 1e-7, output_cost_per_token: 2e-7 } }
  - { model_name: phi, litellm_params: { model: lm_studio/phi-4, api_base: os.environ/LM_STUDIO_API_BASE, api_key: lm-studio } }
  - { model_name: proxied, litellm_params: { model: openai/gpt-4o, api_base: os.environ/PROXY_BASE } }
`,
    providers: [
      "ollama http://ollama:11434/v1",
      "vllm http://vllm:8000/v1",
      "lm-studio $LM_STUDIO_API_BASE lm-studio",
      "openai-compatible $PROXY_BASE",
    ],
    calls: { llama3: "llama3.2", "mistral-7b": "mistralai/Mistral-7B", phi: 402, proxied: 402 },
  },
  {
    name: "invalid aliases, unknown vendors and other kinds of models",
    source: `
model_list:
  - { model_name: "GPT 4o (Azure, EU)", litellm_params: { model: openai/gpt-4o, api_key: sk-written } }
  - { model_name: openai/gpt-4o-mini, litellm_params: { model: openai/gpt-4o-mini, api_key: sk-written } }
  - { model_name: sage, litellm_params: { model: sagemaker/llama, aws_region_name: us-east-1 } }
  - { model_name: film, litellm_params: { model: openai/sora-2, api_key: sk-written }, model_info: { mode: video_generation } }
  - { model_name: "\${OPENAI_API_KEY}", litellm_params: { model: "openai/\${OPENAI_API_KEY}", api_key: sk-written } }
  - { model_name: odd-key, litellm_params: { model: openai/gpt-4o, api_key: "two words" } }
router_settings: { model_group_alias: { mini: openai/gpt-4o-mini, "my alias": openai/gpt-4o-mini, gone: sage } }
`,
    providers: ["openai sk-written"],
    calls: { mini: "gpt-4o-mini", "openai/gpt-4o": "gpt-4o", sage: 404, film: 404 },
    says: [
      "model GPT 4o (Azure, EU): callers have to name it openai/gpt-4o",
      "alias gone: the model 'sage' is not carried over",
      "models of mode 'video_generation'",
      "model odd-key: not carried over",
    ],
  },
  {
    name: "one key for many models, and two keys of one vendor",
    source: `
model_list:
  - { model_name: team-a, litellm_params: { model: openai/gpt-4o, api_key: sk-team-a } }
  - { model_name: team-b, litellm_params: { model: openai/gpt-4o, api_key: sk-team-b } }
  - { model_name: shared, litellm_params: { model: openai/gpt-4o, api_key: sk-team-a, weight: 0.7 } }
  - { model_name: shared, litellm_params: { model: openai/gpt-4o, api_key: sk-team-b, weight: 0 } }
  - { model_name: taken, litellm_params: { model: groq/llama-3.1-8b-instant, api_key: os.environ/LITELLM_OPENAI_API_KEY } }
general_settings: { master_key: sk-1234, database_url: "postgresql://u:secret@host/db" }
`,
    providers: ["openai sk-team-a", "openai-2 (openai) sk-team-b", "groq $LITELLM_OPENAI_API_KEY"],
    calls: {
      "team-a": "gpt-4o",
      "team-b": "gpt-4o",
      shared: "gpt-4o",
      taken: "llama-3.1-8b-instant",
    },
    says: ["general_settings.master_key"],
  },
]
