import { serveJobs } from "../workers/serve-jobs.ts"

serveJobs({
  "read-settings": async () => (await import("./reload-settings.ts")).readSettings,
})
