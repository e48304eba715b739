import type { ProviderErrorRule } from "./rule.ts"

/** Errors of the operator's account and credentials. */
export const ACCOUNT_ERRORS: readonly ProviderErrorRule[] = [
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
]
