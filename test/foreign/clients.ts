/** A client by other authors in an exact version, with this project's checks of it. */
export interface ForeignClient {
  readonly name: string
  readonly language: "javascript" | "python"
  /** The installed packages with their exact versions. The first package is the client. */
  readonly packages: readonly string[]
  /** The name of a file in `checks/`. */
  readonly checks: string
}

/** The clients, in the order in which they are installed and run. */
export const CLIENTS: readonly ForeignClient[] = [
  {
    name: "ai-sdk-5",
    language: "javascript",
    packages: [
      "ai@5.0.277",
      "@ai-sdk/openai@2.0.131",
      "@ai-sdk/anthropic@2.0.112",
      "@ai-sdk/openai-compatible@1.0.61",
      "@ai-sdk/cohere@2.0.44",
      "zod@4.6.7",
    ],
    checks: "ai-sdk.mjs",
  },
  {
    name: "ai-sdk-6",
    language: "javascript",
    packages: [
      "ai@6.0.326",
      "@ai-sdk/openai@3.0.141",
      "@ai-sdk/anthropic@3.0.139",
      "@ai-sdk/openai-compatible@2.0.91",
      "@ai-sdk/cohere@3.0.63",
      "zod@4.6.7",
    ],
    checks: "ai-sdk.mjs",
  },
  {
    name: "ai-sdk-7",
    language: "javascript",
    packages: [
      "ai@7.0.173",
      "@ai-sdk/openai@4.0.118",
      "@ai-sdk/anthropic@4.0.105",
      "@ai-sdk/openai-compatible@3.0.92",
      "@ai-sdk/cohere@4.0.52",
      "zod@4.6.7",
    ],
    checks: "ai-sdk.mjs",
  },
  {
    name: "openai-python-3",
    language: "python",
    packages: ["openai==3.54.0"],
    checks: "openai_python.py",
  },
  {
    name: "openai-python-2",
    language: "python",
    packages: ["openai==2.54.0"],
    checks: "openai_python.py",
  },
  {
    name: "anthropic-python-2",
    language: "python",
    packages: ["anthropic==2.12.0"],
    checks: "anthropic_python.py",
  },
  {
    name: "anthropic-python-0",
    language: "python",
    packages: ["anthropic==0.125.0"],
    checks: "anthropic_python.py",
  },
  {
    name: "litellm",
    language: "python",
    packages: ["litellm==1.106.2", "mcp==2.3.0"],
    checks: "litellm_client.py",
  },
  {
    name: "langchain-js",
    language: "javascript",
    packages: [
      "@langchain/openai@1.6.0",
      "@langchain/anthropic@1.5.11",
      "@langchain/core@1.4.0",
      "zod@4.6.7",
    ],
    checks: "langchain.mjs",
  },
  {
    name: "langchain-python",
    language: "python",
    packages: ["langchain-openai==1.7.3", "langchain-anthropic==1.7.7"],
    checks: "langchain_python.py",
  },
  {
    name: "openai-agents-js",
    language: "javascript",
    packages: ["@openai/agents@0.20.0", "zod@4.6.7"],
    checks: "openai-agents.mjs",
  },
  {
    name: "openai-agents-python",
    language: "python",
    packages: ["openai-agents==0.20.0"],
    checks: "openai_agents.py",
  },
  {
    name: "google-genai",
    language: "python",
    packages: ["google-genai==3.4.0"],
    checks: "google_genai.py",
  },
  {
    name: "cohere-python",
    language: "python",
    packages: ["cohere==7.3.1"],
    checks: "cohere_python.py",
  },
  {
    name: "instructor",
    language: "python",
    packages: ["instructor==1.17.0"],
    checks: "instructor_client.py",
  },
  {
    name: "pydantic-ai",
    language: "python",
    packages: ["pydantic-ai-slim[openai,anthropic]==2.32.0", "anthropic==0.125.0"],
    checks: "pydantic_ai_agent.py",
  },
]
