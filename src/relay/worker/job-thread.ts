import { serveJobs } from "../../workers/serve-jobs.ts"

serveJobs({
  "count-tokens": async () => (await import("../tokens/count-tokens.ts")).countTokens,
  "decode-tokens": async () => (await import("../tokens/decode-tokens.ts")).decodeTokens,
  "measure-media": async () => (await import("../../media/measure/measure.ts")).measureMedia,
  "read-png": async () => (await import("../../media/png.ts")).readPng,
  "draw-mask": async () => (await import("../../media/mask.ts")).drawMask,
})
