CREATE TABLE contents (
  request TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  at INTEGER NOT NULL,
  asked TEXT NOT NULL,
  answered TEXT
) STRICT;
INSERT INTO "contents" ("request", "account", "at", "asked", "answered") VALUES ('req_01a20bd9-2a7b-7729-991c-e9ecda7b8822', 'acc_9gsF5YWHA3gIHEgC', 1795495111291, '{"model":"sandbox/echo","messages":[{"role":"user","content":"Hello, older Tollgate"}]}', '{"id":"chatcmpl-yRAivAsU5W6UUR9EV3zj69bwcDoYB","object":"chat.completion","created":1795495111,"model":"sandbox/echo","choices":[{"index":0,"message":{"role":"assistant","content":"Hello, older Tollgate","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":13,"completion_tokens":7,"total_tokens":20,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}},"service_tier":"default","system_fingerprint":"fp_5f0c7a51a7"}');
INSERT INTO "contents" ("request", "account", "at", "asked", "answered") VALUES ('req_01a20bd9-2a9e-73b1-9d51-27d7711d0c5f', 'acc_9gsF5YWHA3gIHEgC', 1795495111326, '{"model":"sandbox/claude","stream":true,"messages":[{"role":"user","content":"Stream"}]}', '"Stream"');
INSERT INTO "contents" ("request", "account", "at", "asked", "answered") VALUES ('req_01a20bd9-2aac-70a8-96b4-8597ed113981', 'acc_9gsF5YWHA3gIHEgC', 1795495111340, '{"model":"sandbox/embed","input":["one","two"]}', NULL);
INSERT INTO "contents" ("request", "account", "at", "asked", "answered") VALUES ('req_01a20bd9-2aba-749e-ab1c-c286e5595cf4', 'acc_9gsF5YWHA3gIHEgC', 1795495111354, '{"model":"sandbox/fault-500","messages":[{"role":"user","content":"fail"}]}', NULL);
CREATE INDEX contents_by_time ON contents (at);
PRAGMA user_version = 0;
