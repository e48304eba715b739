import type { ProviderErrorRule } from "./rule.ts"

/** Errors of models and servers. The last rules match messages that must not reach callers. */
export const MODEL_ERRORS: readonly ProviderErrorRule[] = [
  {
    kind: "streaming",
    statuses: [400, 403],
    message: /^your organization must be verified to stream this model/i,
    source: "OpenAI, API organization verification: 400, parameter `stream`; chatbox#2263",
  },
  {
    kind: "allowance",
    statuses: [400, 403],
    message: /^your organization must be verified to (?!use\b)/i,
    source: "OpenAI: continue#12031 (400, parameter `reasoning.summary`)",
  },
  {
    kind: "permission",
    statuses: [400, 401, 403, 404],
    message:
      /^(?:your organization must be verified to|you don't have access to (?:the model with|this model\b)|insufficient permissions: |you have insufficient permissions for this operation|project `?\S+ does not have access to model|project \S+ is not allowed to use publisher model|access denied\. this model is marked by provider as legacy|access to this model is not available for channel program accounts|imagen api is only accessible to billed users|key not allowed to access model\b|this account is not allowed to access this model)/i,
    source:
      "LiteLLM proxy; Cloudflare Workers AI, 5018; OpenAI, API organization verification and project permissions; openai-go#565; Vertex AI: 400 `FAILED_PRECONDITION`; Bedrock: 400 and 403; Gemini: openjourney#1 (400)",
  },
  {
    kind: "permission",
    statuses: [400, 403],
    codes: ["1220"],
    source: "Z.ai, error codes: no permission for this model",
  },
  {
    kind: "permission",
    codes: [
      "model_terms_required",
      "model_permission_blocked_project",
      "model_permission_blocked_org",
      "modelnotopen",
      "setlimitexceeded",
      "allocationquota.freetieronly",
      "accessdenied.unpurchased",
      "model.accessdenied",
      "workspace.accessdenied",
    ],
    source:
      "Groq: 400 and 403; BytePlus ModelArk, error codes: 404 and 429; Alibaba Cloud Model Studio, error codes: 400 and 403",
  },
  {
    kind: "model",
    codes: [
      "model_not_found",
      "model_not_available",
      "model_decommissioned",
      "modelnotfound",
      "deploymentnotfound",
      "invalid_model",
      "modeldeprecated",
      "servicemodeldeprecated",
      "model_not_supported",
      "unknown_model",
      "unavailable_model",
      "invalidendpoint.closedendpoint",
      "resourcenotfoundexception",
    ],
    source:
      "OpenAI; Together: puter#3168 (400); Groq, deprecations (400); Alibaba Cloud; Azure OpenAI (recorded); Mistral (recorded: 400); Hugging Face, router (400); GitHub Models and Copilot (400); Volcengine Ark, error codes (400); Bedrock",
  },
  {
    kind: "model",
    statuses: [400, 404],
    codes: ["1211", "20012"],
    source: "Z.ai, error codes; SiliconFlow, error codes",
  },
  {
    kind: "model",
    statuses: [400, 404],
    message:
      /^(?:could not find an existing deployment to match the model|unable to access non-serverless model|invalid model: |model not exist\b|the supported api model names are|\S+ is not a valid model id$|model \S+ does not exist\.?$|the requested model (?:\S+ )?is not supported\b|you passed in model=\S* there are no healthy deployments|model \S+ is not supported\. supported models are|the provided model identifier is invalid|invocation of model id \S+ with on-demand throughput isn|(?:当前分组 .{0,80})?无可用渠道)/i,
    source:
      "Azure: llmgateway#2796 (400); Together; Mistral, DeepSeek, OpenRouter, Voyage and Bedrock (recorded: 400); Hugging Face, router; LiteLLM proxy",
  },
  {
    kind: "capacity",
    codes: [
      "rate_limit_error",
      "rate_limit_exceeded",
      "overloaded_error",
      "engine_overloaded_error",
      "capacity_exceeded",
      "modelnotreadyexception",
      "resource_exhausted",
      "unavailable",
      "serviceunavailableexception",
    ],
    source:
      "Anthropic; OpenAI; Moonshot; Groq, flex processing: 498; Bedrock, Converse; Google, google.rpc.Code",
  },
  {
    kind: "capacity",
    statuses: [429],
    codes: ["1002"],
    source: "MiniMax, error codes: in a 200",
  },
  {
    kind: "timeout",
    codes: ["modeltimeoutexception", "timeout_error", "deadline_exceeded", "vector_store_timeout"],
    source: "Bedrock, Converse; Anthropic, errors; Google, google.rpc.Code; OpenAI, responses",
  },
  {
    kind: "failure",
    codes: ["modelerrorexception", "modelstreamerrorexception", "aborted"],
    source: "Bedrock, Converse: 424; Google, google.rpc.Code: 409",
  },
  {
    kind: "forbidden",
    statuses: [400, 422],
    message:
      /^(?:(?:your|this|the|our) (?!thinking )(?:\w+ )?(?:accounts?|api keys?|balance|billing|budget|credits?|organi[sz]ation|plan|project|quota|subscription|team|tenant|workspace)\b|you(?: have|'ve) (?:reached|exceeded|used|run out of) (?:all )?(?:of )?your\b|(?:account|billing|organi[sz]ation|project|subscription|team|tenant|workspace) (?:account )?(?!(?:field|id|ids|key|keys|members?|names?|number|type|value)\b)\S+ (?:(?:for|of) \S+ )?(?:is|was|has|have|does|must|needs)\b|account suspended|api access (?:is|has been)\b|insufficient (?:credits?|funds|quota)\b|payment (?:is )?required\b|您的?账[户号]|该令牌|账[户号]|余额|欠费)/i,
    source: "Messages that address the operator's account, in a status of the request's own faults",
  },
  {
    kind: "forbidden",
    statuses: [400, 422],
    message:
      /^(?:the aws marketplace subscription of account|organization \S+ .{0,80}cannot use this model|\S+(?: \S+){0,4} is not (?:available|enabled) for (?:account|organi[sz]ation|project|tenant|user|workspace) \S+)/i,
    source: "The same with the name of a model or a feature first",
  },
]
