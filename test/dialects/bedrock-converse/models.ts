export const OPUS_4_7 = "global.anthropic.claude-opus-4-7"

export const LLAMA = "us.meta.llama4-scout-17b-instruct-v1:0"
