/** Models whose families support different features. */
export const OPUS_4_7 = "global.anthropic.claude-opus-4-7"
export const LLAMA = "us.meta.llama4-scout-17b-instruct-v1:0"
export const GPT_OSS = "openai.gpt-oss-120b-1:0"
export const GPT = "us.openai.gpt-5.5"
