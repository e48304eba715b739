import { MAKER_REJECTIONS } from "./maker-rejections.ts"
import { OPENAI_REJECTIONS } from "./openai-rejections.ts"
import type { RejectedRequest } from "./rejected-request.ts"
import { VENDOR_REJECTIONS } from "./vendor-rejections.ts"

/** For each rule and each provider to which it applies, a request that is rejected without the rule. */
export const REJECTED_REQUESTS: readonly RejectedRequest[] = [
  ...OPENAI_REJECTIONS,
  ...VENDOR_REJECTIONS,
  ...MAKER_REJECTIONS,
]
