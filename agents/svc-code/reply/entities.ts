// Programs that were escaped as HTML.

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&apos;': "'", '&amp;': '&' }

/** Unescapes a program in which every `<` and `>` is escaped. If only some are, they are meant as they are. */
export function fromEntities (source: string): string {
  if (!/&(?:lt|gt);/.test(source) || /[<>]/.test(source)) return source
  return source.replace(/&(?:lt|gt|quot|#39|apos|amp);/g, entity => ENTITIES[entity] ?? entity)
}
