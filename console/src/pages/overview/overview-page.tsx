import { Alert, SimpleGrid, Skeleton, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Suspense } from "react"
import type { Overview } from "tollgate-contract/usage.ts"
import { useAccount } from "../../account.tsx"
import { keysQuery, oneQuery } from "../../api/queries.ts"
import { lazyPart } from "../../layout/lazy-page.ts"
import { roughCredits } from "../../format/credits.ts"
import { countText, durationText } from "../../format/numbers.ts"
import { useSession } from "../../session.tsx"
import { AccountOfKey } from "../../ui/account-name.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { LinkButton, TextLink } from "../../ui/link-button.tsx"
import { Money } from "../../ui/money.tsx"
import { Page } from "../../ui/page.tsx"
import { Stat } from "../../ui/stat.tsx"
import { FailingProviders } from "./failing-providers.tsx"
import { RequestOutcomes } from "./request-outcomes.tsx"
import { TopPanel } from "./top-panel.tsx"
import { UsagePanel } from "./usage-panel.tsx"
import { rich, t } from "../../languages/text.ts"

/** Loaded only for new users. */
const FirstSteps = lazyPart(() => import("./first-steps.tsx").then((module) => module.FirstSteps))
/** Loaded only for operators. */
const OperatorPanels = lazyPart(() =>
  import("./operator/operator-panels.tsx").then((module) => module.OperatorPanels),
)
const POLL_INTERVAL_MS = 10_000
const FIRST_POLL_INTERVAL_MS = 2_000

/** The first page: balance, spending and recent requests. */
export function OverviewPage() {
  const session = useSession()
  const { account, accountId, may, isAll } = useAccount()
  const isNowhere = isAll && !session.is_operator
  const asked = useQuery({
    ...oneQuery("GET /usage/overview", { query: { account: accountId } }),
    enabled: !isNowhere,
    refetchInterval: ({ state }) =>
      isUnused(state.data) ? FIRST_POLL_INTERVAL_MS : POLL_INTERVAL_MS,
  })
  const keys = useQuery(keysQuery(accountId))
  const overview = asked.data
  if (isNowhere) return <NoAccount />
  const isNew = overview?.is_incomplete === false && isUnused(overview) && keys.data !== undefined
  // Existing data stays when a refetch fails.
  const hasContent = asked.error === null || overview !== undefined
  return (
    <Page
      title={t("Overview")}
      description={isAll ? t("All accounts") : account?.name}
      actions={
        may("member") && (
          <LinkButton to="/keys" search={{ create: "1" }} variant="default">
            {t("Create a key")}
          </LinkButton>
        )
      }
    >
      <ErrorNotice
        error={asked.error}
        title={t("The overview could not be loaded")}
        retry={() => void asked.refetch()}
      />
      {overview?.is_incomplete === true && <Incomplete />}
      {session.is_operator && <FailingProviders />}
      {hasContent && <Figures overview={overview} isAll={isAll} accountId={accountId} />}
      {isNew ? (
        <Suspense fallback={<Skeleton height={320} />}>
          <FirstSteps
            keys={keys.data.data}
            hasCredits={roughCredits(overview.balance) > 0}
            isOperator={session.is_operator}
            hasCards={session.card_payments}
            mayCreate={may("member")}
          />
        </Suspense>
      ) : (
        hasContent && (
          <>
            <UsagePanel overview={overview} />
            <Tops overview={overview} isAll={isAll} />
            {isAll && (
              <Suspense fallback={<Skeleton height={320} />}>
                <OperatorPanels />
              </Suspense>
            )}
          </>
        )
      )}
    </Page>
  )
}

/** Warns that the numbers are too low for now. */
function Incomplete() {
  return (
    <Alert role="status" color="yellow" variant="light" title={t("Recent requests are missing")}>
      {t(
        "The index for lists and reports is being built, as after an upgrade. Balances and charges are not affected. This page updates automatically.",
      )}
    </Alert>
  )
}

/** Lists the most expensive models and keys. */
function Tops({ overview, isAll }: FiguresProperties) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} className="unstretched">
      <TopPanel
        title={t("Top models")}
        rows={overview?.top_models}
        name={(row) => (
          <TextLink to="/requests" search={{ model: row.group }}>
            {row.group}
          </TextLink>
        )}
      />
      <TopPanel
        title={t("Top keys")}
        rows={overview?.top_keys}
        name={(row) => (
          <>
            <TextLink to="/requests" search={{ key: row.group }}>
              {row.name ?? row.group}
            </TextLink>
            {isAll && (
              <Text size="xs" c="dimmed" component="div">
                <AccountOfKey id={row.group} />
              </Text>
            )}
          </>
        )}
      />
    </SimpleGrid>
  )
}

function NoAccount() {
  return (
    <Page title={t("Overview")}>
      <EmptyState title={t("You are not a member of any account yet")}>
        {t("Ask an account owner or the operator of this gateway for an invitation.")}
      </EmptyState>
    </Page>
  )
}

/** Reports whether there were no requests in the last thirty days. */
function isUnused(overview: Overview | undefined): boolean {
  return overview !== undefined && overview.days.every((day) => day.requests === 0)
}

/** Shows the cost that the operator pays because no account was charged for it. */
function WrittenOff({ amount }: { readonly amount: string }) {
  if (amount === "0") return null
  return (
    <TextLink to="/requests" search={{ status: "written_off" }}>
      {rich("and {money} written off", { money: <Money value={amount} decimals={4} /> })}
    </TextLink>
  )
}

interface FiguresProperties {
  readonly overview: Overview | undefined
  readonly isAll: boolean
}

/** Minimum balance in credits that is shown with only two decimals, so that the unit fits on the same line. */
const LARGE_BALANCE = 1_000

function decimalsOf(overview: Overview | undefined): number {
  return roughCredits(overview?.balance ?? "0") >= LARGE_BALANCE ? 2 : 4
}

function Figures({
  overview,
  isAll,
  accountId,
}: FiguresProperties & { readonly accountId: string | undefined }) {
  const isLoading = overview === undefined
  const p95 = overview?.p95_duration_ms ?? null
  return (
    <SimpleGrid
      cols={{ base: 2, md: 3, lg: 5 }}
      spacing={{ base: "xs", sm: "md" }}
      className="stats"
    >
      <Stat
        label={t("Balance")}
        isLoading={isLoading}
        value={<Money value={overview?.balance ?? "0"} decimals={decimalsOf(overview)} hasUnit />}
        note={
          isAll ? t("across all accounts") : <TextLink to="/credits">{t("View entries")}</TextLink>
        }
      />
      <Stat
        label={t("Spent today")}
        isLoading={isLoading}
        value={<Money value={overview?.spent_today ?? "0"} decimals={4} hasUnit />}
        note={t("since midnight UTC")}
      />
      <Stat
        label={t("Spent this month")}
        isLoading={isLoading}
        value={<Money value={overview?.spent_month ?? "0"} decimals={4} hasUnit />}
        note={<WrittenOff amount={overview?.written_off_month ?? "0"} />}
      />
      <Stat
        label={t("Requests today")}
        isLoading={isLoading}
        value={countText(overview?.requests_today ?? 0)}
        note={<RequestOutcomes account={accountId} overview={overview} />}
      />
      <Stat
        label={t("Response time")}
        isLoading={isLoading}
        value={durationText(overview?.p50_duration_ms ?? null)}
        note={
          p95 === null
            ? t("no responses yet")
            : t("median; 95% within {p95}", { p95: durationText(p95) })
        }
      />
    </SimpleGrid>
  )
}
