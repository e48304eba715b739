export interface SidebarItem {
  readonly text: string
  /** Address on the site, without extension. */
  readonly link: string
}

export interface SidebarGroup {
  readonly text: string
  readonly items: readonly SidebarItem[]
}

function group(text: string, ...items: readonly (readonly [string, string])[]): SidebarGroup {
  return { text, items: items.map(([name, link]) => ({ text: name, link })) }
}

/** The pages of the site by section. The build fails if a page is missing here. */
export const SIDEBAR: Readonly<Record<string, readonly SidebarGroup[]>> = {
  Use: [
    group(
      "Start",
      ["Quick start", "use/quick-start"],
      ["SDKs", "use/sdks"],
      ["Agents and applications", "use/agents"],
    ),
    group(
      "Call the API",
      ["Endpoints", "use/endpoints"],
      ["Models", "use/models"],
      ["Errors", "use/errors"],
      ["Billing", "use/billing"],
      ["Routing preferences", "use/routing"],
      ["Web search", "use/web-search"],
      ["Conversations", "use/conversations"],
      ["Stored objects", "use/vendor-state"],
    ),
    group("Decide", ["Comparison", "use/compare"]),
  ],
  Run: [
    group(
      "Start",
      ["Install", "run/install"],
      ["Providers and models", "run/providers"],
      ["Console tour", "run/console"],
      ["Reverse proxies", "run/proxy"],
      ["Security", "run/security"],
    ),
    group(
      "People and money",
      ["Accounts and roles", "run/accounts"],
      ["Single sign-on", "run/sso"],
      ["Budgets and limits", "run/budgets"],
      ["Credits", "run/credits"],
      ["Card payments", "run/card-payments"],
      ["Prices", "run/prices"],
      ["Prompts and privacy", "run/privacy"],
    ),
    group(
      "Watch",
      ["Troubleshooting", "run/troubleshooting"],
      ["Monitoring", "run/monitoring"],
      ["Usage reports", "run/usage"],
      ["Notices", "run/notices"],
      ["Request log", "run/request-log"],
      ["Traces", "run/tracing"],
      ["Compare with a bill", "run/reconcile"],
    ),
    group(
      "Data",
      ["Data and the ledger", "run/data"],
      ["Backup and restore", "run/backup"],
      ["Upgrade", "run/upgrade"],
      ["Restart", "run/restart"],
      ["Export", "run/export"],
      ["Migrate", "run/migrate"],
    ),
    group(
      "Scale",
      ["Routing and failover", "run/routing"],
      ["Several machines", "run/postgresql"],
      ["Journal", "run/journal"],
      ["Sizing", "run/scaling"],
      ["Failure drill", "run/drill"],
    ),
  ],
  Reference: [
    group(
      "API",
      ["API reference", "reference/rest"],
      ["API conventions", "reference/api"],
      ["HTTP details", "reference/http"],
    ),
    group(
      "Configuration",
      ["Settings", "reference/settings"],
      ["Commands", "reference/cli"],
      ["Metrics", "reference/metrics"],
    ),
    group(
      "Providers",
      ["Providers by endpoint", "reference/vendors"],
      ["Losses", "reference/losses"],
      ["Priced features", "reference/priced-features"],
      ["Model rules", "reference/model-rules"],
    ),
  ],
  Contribute: [
    group(
      "Start",
      ["Contributing", "contribute/contributing"],
      ["Architecture", "contribute/architecture"],
      ["Style", "contribute/style"],
      ["Terms", "contribute/words"],
      ["Adding", "contribute/adding"],
    ),
    group(
      "Reasons and facts",
      ["Decisions", "contribute/decisions"],
      ["Design notes", "contribute/design-notes"],
      ["Wire facts", "contribute/wire"],
      ["Price disputes", "contribute/price-disputes"],
      ["Changelog", "changelog"],
    ),
    group(
      "Measurements",
      ["Speed", "contribute/speed"],
      ["Benchmark", "contribute/benchmark"],
      ["Reliability", "contribute/reliability"],
      ["Tests", "contribute/tests"],
      ["Tested clients", "contribute/clients"],
    ),
  ],
}
