import type { ProviderErrorKind } from "./provider-error-kinds.ts"

/** A rule that recognizes a known error. All given conditions must match. */
export interface ProviderErrorRule {
  readonly kind: ProviderErrorKind
  /** HTTP statuses of the error; any status if absent. */
  readonly statuses?: readonly number[]
  /** The error's code or type, in lowercase; any code and type if absent. */
  readonly codes?: readonly string[]
  /**
   * Matches the start of the message. A provider may quote the request later in the message, and a quote must not make
   * the provider's account cool down.
   */
  readonly message?: RegExp
  /** The provider that reports it, and the page or recording that documents it. */
  readonly source: string
}

/**
 * Known errors of all providers. Compatible servers and other gateways forward errors from other providers. The first
 * match is used.
 */
export const PROVIDER_ERRORS: readonly ProviderErrorRule[] = [
  {
    kind: "content_filter",
    codes: [
      "content_filter",
      "content_policy_violation",
      "moderation_blocked",
      "image_content_policy_violation",
      "data_inspection_failed",
      "datainspectionfailed",
      "responsibleaipolicyviolation",
    ],
    source:
      "OpenAI, image guide; Azure OpenAI, content filtering; Alibaba Cloud Model Studio, error codes",
  },
  {
    kind: "content_filter",
    statuses: [400, 403],
    message: /^content violates usage guidelines/i,
    source: "xAI: sub2api#5359 (403 `permission-denied`)",
  },
  {
    kind: "content_filter",
    statuses: [403],
    message: /^\S+ requires moderation on .*your input was flagged/i,
    source: "OpenRouter, errors: 403 for flagged input",
  },
  {
    kind: "context_length",
    codes: [
      "context_length_exceeded",
      "exceed_context_size_error",
      "model_context_window_exceeded",
    ],
    source: "OpenAI, error codes; llama.cpp (recorded)",
  },
  {
    kind: "capacity",
    codes: ["throttlingexception", "toomanyrequestsexception", "servicequotaexceededexception"],
    source: "Bedrock, Converse; with `Too many tokens per day` too",
  },
  {
    kind: "context_length",
    statuses: [400, 413, 422],
    message:
      /^(?:this model's maximum context length is|prompt (?:is )?too long\b|input length and `max_tokens` exceed context limit|the input token count \(?\d+\)? exceeds|request \(\d+ tokens\) exceeds the available context size|range of input length should be|input is too long for requested model|too many tokens\b|please reduce the length of the messages)/i,
    source:
      "vLLM and DeepSeek (recorded); Anthropic, errors; Ollama (recorded); Google; llama.cpp (recorded); Alibaba Cloud; Bedrock; Cohere; Groq",
  },
  {
    kind: "content_filter",
    message: /^(?:input|output) new_sensitive/i,
    source: "MiniMax, error codes 1026 and 1027: 200",
  },
  {
    kind: "request",
    codes: ["external_connector_error"],
    source: "OpenAI, MCP servers of callers: 424, agentgateway#383, what-iff#116",
  },
  {
    kind: "request",
    codes: ["conversation_locked"],
    source: "OpenAI, conversations: 409 for parallel requests in one",
  },
  {
    kind: "request",
    statuses: [400, 403, 404],
    message:
      /^(?:you do not have permission to access the file \S+ or it may not exist|cachedcontent not found)/i,
    source: "Gemini: deprecated-generative-ai-python#692 (403)",
  },
  {
    kind: "request",
    codes: ["voice_not_found", "voice_does_not_exist"],
    source: "ElevenLabs: 400 or 404, elevenlabs-python#293",
  },
  {
    kind: "allowance",
    statuses: [413, 429],
    message: /^request too large for/i,
    source: "Groq: ha-groq-cloud-api#27 (413); OpenAI: continue#10602 (429)",
  },
  {
    kind: "allowance",
    statuses: [402],
    message:
      /^(?:this request requires more credits, or fewer max_tokens|prompt tokens limit exceeded)/i,
    source: "OpenRouter: qwen-code#73, opencode#12219. Smaller requests are served",
  },
  {
    kind: "allowance",
    statuses: [404],
    message: /^no endpoints found (?:that |matching )/i,
    source: "OpenRouter: 404 for a request whose features no endpoint of the model has",
  },
  {
    kind: "allowance",
    statuses: [401, 402],
    message: /^(?:free users cannot use library voices|this request exceeds your quota)/i,
    source: "ElevenLabs: dograh#290 (402). Other voices and shorter texts are served",
  },
  {
    kind: "allowance",
    statuses: [429],
    message: /^extra usage is required for long context requests/i,
    source: "Anthropic: 429 for long contexts only",
  },
  {
    kind: "allowance",
    statuses: [400],
    message:
      /^(?:the long context beta is not yet available for this subscription|previous response cannot be used for this organization|[`']?service[_ ]tier[`']? \S+ is not available for this org)/i,
    source:
      "Anthropic: 400 for long contexts only; OpenAI: zero data retention; Groq: hindsight#89. Other requests are served",
  },
  {
    kind: "capacity",
    statuses: [429],
    message:
      /^(?:allocated quota exceeded|requests? rate limit exceeded|request rate increased too quickly)/i,
    source: "Alibaba Cloud Model Studio, error codes: 429 `insufficient_quota` is a rate there",
  },
  {
    kind: "account",
    codes: [
      "insufficient_quota",
      "insufficient_user_quota",
      "billing_not_active",
      "billing_hard_limit_reached",
      "account_deactivated",
      "unsupported_country_region_territory",
    ],
    source: "OpenAI, error codes; New API: 400 or 403 `insufficient_user_quota`",
  },
  {
    kind: "account",
    codes: ["billing_error", "enforced_spend_limit_reached"],
    source: "Anthropic, errors",
  },
  {
    kind: "account",
    message:
      /^(?:your credit balance is too low|you have reached your specified (?:workspace )?api usage limits|this organization has been disabled|you're out of extra usage|you've hit your (?:\w+ )?spend limit|third-party apps now draw from your extra usage)/i,
    source:
      "Anthropic, errors; claude-code#38035, #1047, #72457, #45035, #45048 (400 `invalid_request_error`)",
  },
  {
    kind: "account",
    message: /^account \S+ is suspended\b/i,
    source: "Fireworks: 412 `PRECONDITION_FAILED`, llmgateway#3838, pollinations#12136",
  },
  {
    kind: "account",
    codes: ["arrearage", "account.arrearage", "accountoverdueerror", "invalidsubscription"],
    source:
      "Alibaba Cloud Model Studio, error codes: 400; BytePlus ModelArk, error codes: 403; Volcengine Ark: 400 without a plan",
  },
  {
    kind: "account",
    message: /^access denied, please make sure your account is in good standing/i,
    source: "Alibaba Cloud Model Studio, error codes: 400",
  },
  {
    kind: "account",
    codes: ["budget_exceeded"],
    source: "LiteLLM proxy, budgets: 400 or 429",
  },
  {
    kind: "account",
    message: /^(?:budget has been exceeded!|exceededbudget:)/i,
    source: "LiteLLM proxy: litellm#4208, #14144 (400, no type)",
  },
  {
    kind: "account",
    message:
      /^your account (?:org-)?\S+ (?:<\S+> )?is (?:suspended|not active)\b|^your team \S+ has either used all available credits|^your newly created team (?:\S+ )?doesn't have any credits/i,
    source:
      "Moonshot: BettaFish#524 (429 `exceeded_current_quota_error`); xAI: continue#10740 (403 or 429), 403 for a new team",
  },
  {
    kind: "account",
    codes: ["personal-team-blocked:spending-limit", "exceeded_current_quota_error"],
    source: "xAI: gptme-contrib#1678 (403); Moonshot, errors: 429",
  },
  {
    kind: "account",
    codes: ["organization_restricted", "organization_deactivated", "blocked_api_access"],
    source: "Groq: Guardrails#563 (400); spend limits (400)",
  },
  {
    kind: "account",
    message:
      /^(?:insufficient (?:account )?balance\b|余额不足|账户余额不足|用户额度不足|token quota is not enough|key limit exceeded|not enough balance\b|sorry, your account (?:\S+ )?balance is insufficient|user (?:\S+ )?suspended$|paid balance is required\b|用户已被封禁)/i,
    source:
      "DeepSeek, error codes: 402; MiniMax: 1008; Z.ai: 429 code 1113; New API, OpenRouter, Novita, SiliconFlow 30001 and DeepInfra: 403",
  },
  {
    kind: "account",
    statuses: [400, 401, 429],
    codes: ["1112", "1113", "1121", "1309", "2056"],
    source:
      "Z.ai, error codes: locked, in arrears, plan expired; MiniMax, error codes: 2056 in a 200, the plan is used up",
  },
  {
    kind: "account",
    statuses: [403, 409],
    codes: ["readonlydisabledsubscription"],
    source: "Azure Resource Manager: 409 for a disabled subscription",
  },
  {
    kind: "account",
    statuses: [400, 403],
    message:
      /^(?:user location is not supported for the api use|gemini api free tier is not available|please enable billing on project|your project (?:\S+ )?has been denied access)/i,
    source: "Gemini API, troubleshooting: 400 `FAILED_PRECONDITION`; neo-chat#45 (400); 403",
  },
  {
    kind: "account",
    codes: ["billing_disabled", "consumer_suspended", "consumer_invalid", "service_disabled"],
    source: "Google, google.api.ErrorReason: 403",
  },
  {
    kind: "account",
    codes: ["failedoperation.resourcepackexhausted"],
    source: "Tencent Hunyuan, error codes",
  },
  {
    kind: "account",
    statuses: [400, 402, 403, 412, 429],
    message:
      /^(?:budget exhausted for virtual key|inference prohibited, please enter payment method)/i,
    source: "Portkey, virtual key budgets; DeepInfra",
  },
  {
    kind: "account",
    statuses: [400, 403],
    message:
      /^operation not allowed(?: for account \S+)?\.?$|^.{0,40}INVALID_PAYMENT_INSTRUMENT|^access to anthropic models is not allowed/i,
    source: "Bedrock, troubleshooting: ValidationException and AccessDeniedException",
  },
  {
    kind: "credential",
    codes: [
      "invalid_api_key",
      "invalid_authentication_error",
      "authentication_error",
      "invalidapikey",
      "api_key_invalid",
      "api_key_expired",
      "api_key_service_blocked",
    ],
    source:
      "OpenAI; Anthropic; Moonshot; Alibaba Cloud; Google, google.api.ErrorReason (docs/contribute/wire/gemini.md#f12)",
  },
  {
    kind: "credential",
    statuses: [400, 403],
    codes: [
      "expiredtokenexception",
      "expiredtoken",
      "incompletesignatureexception",
      "invalidclienttokenid",
      "invalidsignatureexception",
      "missingauthenticationtokenexception",
      "signaturedoesnotmatch",
      "unrecognizedclientexception",
    ],
    source: "AWS, common errors",
  },
  {
    kind: "credential",
    statuses: [400, 403],
    message:
      /^(?:incorrect api key\b|invalid api key\b|api key not valid|api key not found|api key expired|your api key (?:\S+ )?was reported as leaked|the security token included in the request is|this credential is only authorized for use with)/i,
    source:
      "xAI (recorded: 400); Gemini (recorded: 400; 403 if leaked); Bedrock (recorded: 403); Anthropic: 400 and 403 for a subscription's token",
  },
  {
    kind: "credential",
    statuses: [401],
    codes: ["1004", "2049"],
    source: "MiniMax, error codes: in a 200; Z.ai, error codes: 401",
  },
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
