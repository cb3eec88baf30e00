// What pyright says of code that runs as it was meant: missing narrowing, a default of None, a subclass that differs. Small
// models write such code by the dozen, and none of it is a reason for a repair.

const WARNINGS = [
  'reportOptionalMemberAccess', 'reportOptionalSubscript', 'reportOptionalIterable', 'reportOptionalOperand', 'reportOptionalCall', 'reportOptionalContextManager',
  'reportArgumentType', 'reportAssignmentType', 'reportReturnType', 'reportIndexIssue', 'reportOperatorIssue', 'reportGeneralTypeIssues', 'reportInvalidTypeForm', 'reportPossiblyUnbound'
]
const OFF = [
  'reportTypedDictNotRequiredAccess', 'reportPrivateImportUsage', 'reportUnsupportedDunderAll', 'reportUnusedExpression', 'reportUnusedExcept', 'reportTypeCommentUsage', 'reportFunctionMemberAccess',
  'reportIncompatibleMethodOverride', 'reportIncompatibleVariableOverride', 'reportOverlappingOverload', 'reportInvalidStringEscapeSequence', 'reportRedeclaration', 'reportSelfClsParameterName'
]

export const LEVELS: Record<string, string> = {
  ...Object.fromEntries(WARNINGS.map(rule => [rule, 'warning'])),
  ...Object.fromEntries(OFF.map(rule => [rule, 'none']))
}
