CREATE TABLE contents (
  request TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  at INTEGER NOT NULL,
  asked TEXT NOT NULL,
  answered TEXT
) STRICT;
INSERT INTO "contents" ("request", "account", "at", "asked", "answered") VALUES ('req_01a20bda-6695-74ef-8ce4-0c7dfe5dc52a', 'acc_scG2mgJpTNI860na', 1795495192213, '{"model":"sandbox/echo","messages":[{"role":"user","content":"Hello, older Tollgate"}]}', '{"id":"chatcmpl-a2jULDYRosMd4df2CO55yWzYduIrs","object":"chat.completion","created":1795495192,"model":"sandbox/echo","choices":[{"index":0,"message":{"role":"assistant","content":"Hello, older Tollgate","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":13,"completion_tokens":7,"total_tokens":20,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}},"service_tier":"default","system_fingerprint":"fp_5f0c7a51a7"}');
INSERT INTO "contents" ("request", "account", "at", "asked", "answered") VALUES ('req_01a20bda-66cb-7446-aac6-ffb4aab1798b', 'acc_scG2mgJpTNI860na', 1795495192267, '{"model":"sandbox/claude","stream":true,"messages":[{"role":"user","content":"Stream"}]}', '"Stream"');
INSERT INTO "contents" ("request", "account", "at", "asked", "answered") VALUES ('req_01a20bda-66dc-735c-b1b9-7f12acde3190', 'acc_scG2mgJpTNI860na', 1795495192284, '{"model":"sandbox/embed","input":["one","two"]}', NULL);
INSERT INTO "contents" ("request", "account", "at", "asked", "answered") VALUES ('req_01a20bda-66fb-7313-b879-1295a44c2cd3', 'acc_scG2mgJpTNI860na', 1795495192315, '{"model":"sandbox/fault-500","messages":[{"role":"user","content":"fail"}]}', NULL);
CREATE INDEX contents_by_time ON contents (at);
PRAGMA user_version = 1;
