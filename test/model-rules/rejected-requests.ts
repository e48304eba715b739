import { MAKER_REJECTIONS } from "./maker-rejections.ts"
import { OPENAI_REJECTIONS } from "./openai-rejections.ts"
import type { RejectedRequest } from "./rejected-request.ts"
import { VENDOR_REJECTIONS } from "./vendor-rejections.ts"

/** For each rule and each provider that has it: a request that is rejected without it. */
export const REJECTED_REQUESTS: readonly RejectedRequest[] = [
  ...OPENAI_REJECTIONS,
  ...VENDOR_REJECTIONS,
  ...MAKER_REJECTIONS,
]
