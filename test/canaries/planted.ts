import type { Canary } from "./search.ts"

const canary = (name: string, text: string): Canary => ({ name, text })

export const VENDOR_KEY = "sk-canary/vendor+key=0123456789abcdef"
export const VENDOR_HEADER = "canary-vendor-header-4f1d8c02b7"
export const STORED_KEY = "sk-canary-stored-vendor-key-77aa01"
export const ADMIN_TOKEN = "canary-admin-token-93c0b1e4d2"
export const METRICS_TOKEN = "canary-metrics-token-5e0f7a61c9"
export const COLLECTOR_TOKEN = "canary-collector-token-a2b4c6d8"
export const SINK_TOKEN = "canary-sink-token-18f3e5a7d0"
export const BUCKET_ID = "AKIACANARYBUCKET0001"
export const BUCKET_SECRET = "canary/bucket+secret=b1946ac9"
export const MAIL_PASSWORD = "canary-mail-password-6b2e"
export const STRIPE_KEY = "sk_test_canaryStripeKey91d0e7"
export const STRIPE_SECRET = "whsec_canaryStripeHook42b7"
export const ISSUER_SECRET = "canary-issuer-secret-0d9f3a"
export const WEBHOOK_PATH = "canary-webhook-path-e83b50f1"
export const PASSWORD = "canary password of the operator 5"

/** Canaries that are planted in the settings or in the console. */
export const OPERATORS: readonly Canary[] = [
  canary("the vendor's key", VENDOR_KEY),
  canary("a header for the vendor", VENDOR_HEADER),
  canary("a vendor's key from the console", STORED_KEY),
  canary("the admin token", ADMIN_TOKEN),
  canary("the token of the metrics", METRICS_TOKEN),
  canary("the collector's token", COLLECTOR_TOKEN),
  canary("the token of a sink", SINK_TOKEN),
  canary("the bucket's key id", BUCKET_ID),
  canary("the bucket's secret", BUCKET_SECRET),
  canary("the password of the mail server", MAIL_PASSWORD),
  canary("Stripe's key", STRIPE_KEY),
  canary("the secret of Stripe's webhook", STRIPE_SECRET),
  canary("the issuer's secret", ISSUER_SECRET),
  canary("the path of a webhook", WEBHOOK_PATH),
  canary("a password", PASSWORD),
]

export const PROMPT = "canary-prompt: what did Zebedee/Quill + say?"
export const SYSTEM = "canary-system-4b1c be brief"
export const ARGUMENTS = "canary-argument-7d20"
export const TOOL_RESULT = "canary-tool-result-0c9e"
export const RESPONSE = "canary-answer-e1f5 said nothing"
export const DOCUMENT = "canary-document-58ba"
export const DRAWN = "canary-image-prompt-3f3f"
export const IMAGE = "canary-image-bytes-9a1b"
export const SPOKEN = "canary-speech-text-c2d7"
export const SOUND = "canary-sound-bytes-71e4"
export const FILE_NAME = "canary-file-name-2b2b"

/** Canaries that are planted in requests of callers and in responses. */
export const CONTENTS: readonly Canary[] = [
  canary("a prompt", PROMPT),
  canary("a system prompt", SYSTEM),
  canary("a tool's arguments", ARGUMENTS),
  canary("a tool's result", TOOL_RESULT),
  canary("an answer", RESPONSE),
  canary("a document", DOCUMENT),
  canary("the prompt of an image", DRAWN),
  canary("an image", IMAGE),
  canary("the text of a speech", SPOKEN),
  canary("a sound", SOUND),
  canary("the name of a file", FILE_NAME),
]
