import { Text } from "@mantine/core"
import type { FailedRequestDocument } from "tollgate-contract/failures.ts"
import { AccountName, KeyName } from "../../ui/account-name.tsx"
import { Facts } from "../../ui/facts.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { Panel } from "../../ui/panel.tsx"
import { Status } from "../../ui/status.tsx"
import { When } from "../../ui/when.tsx"
import { t } from "../../languages/text.ts"

const NONE: ReadonlyMap<string, string> = new Map()

export interface FailurePanelProperties {
  readonly failure: FailedRequestDocument
  /** Whether the failure is the only record. A request that held no credits has no receipt. */
  readonly isWhole: boolean
}

/** Shows the error that the caller received. */
export function FailurePanel({ failure, isWhole }: FailurePanelProperties) {
  const { status, code, message, parameter, endpoint, model, key, account, at } = failure
  return (
    <Panel
      title={isWhole ? t("Rejected") : t("Error")}
      {...(isWhole && { description: t("Nothing was held or charged, so there is no receipt.") })}
    >
      <Text mb="sm" className="anywhere">
        {message}
      </Text>
      <Facts
        facts={[
          { label: t("Code"), value: <Status value={code} /> },
          { label: t("Status"), value: `HTTP ${status}` },
          ...(parameter === null ? [] : [{ label: t("Field"), value: parameter }]),
          ...(isWhole
            ? [
                { label: t("Endpoint"), value: endpoint },
                { label: t("Model"), value: model ?? t("not known") },
                {
                  label: t("Account"),
                  value: account === null ? t("unknown caller") : <AccountName id={account} />,
                },
                { label: t("Key"), value: key === null ? t("unknown") : <KeyLink id={key} /> },
                { label: t("When"), value: <When at={at} isExact /> },
              ]
            : []),
        ]}
      />
    </Panel>
  )
}

function KeyLink({ id }: { readonly id: string }) {
  return (
    <TextLink to="/requests" search={{ key: id }}>
      <KeyName id={id} known={NONE} />
    </TextLink>
  )
}
