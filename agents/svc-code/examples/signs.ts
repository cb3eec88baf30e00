// The signs and words that may stand between a call and its expected result. Each word has a sentence as an example, which the
// tests read.

/** Signs: `f(2) -> 4`, `f(2) == 4`, `f(2) // 4`. */
export const ARROWS = ['=>', '==>', '->', '-->', '→', '➞', '⇒', '⟶', '===', '==', ':=', '=', '//', '#', '--']

/** Verbs, in the form in which they appear before a value. */
export const GIVES: Readonly<Record<string, string>> = {
  is: 'f(2) is 4', be: 'f(2) should be 4', are: 'f(2) are 4', return: 'f(2) should return 4', returns: 'f(2) returns 4',
  give: 'f(2) must give 4', gives: 'f(2) gives 4',
  yield: 'f(2) should yield 4', yields: 'f(2) yields 4', output: 'f(2) should output 4', outputs: 'f(2) outputs 4',
  equal: 'f(2) should equal 4', equals: 'f(2) equals 4',
  produce: 'f(2) should produce 4', produces: 'f(2) produces 4', print: 'f(2) should print 4', prints: 'f(2) prints 4',
  become: 'f(2) should become 4', becomes: 'f(2) becomes 4',
  'evaluates to': 'f(2) evaluates to 4', 'evaluate to': 'f(2) should evaluate to 4', 'results in': 'f(2) results in 4',
  'result in': 'f(2) should result in 4', 'comes out as': 'f(2) comes out as 4',
  ergibt: 'f(2) ergibt 4', liefert: 'f(2) liefert 4', gibt: 'f(2) gibt 4', ist: 'f(2) ist 4', soll: 'f(2) soll 4 liefern',
  sollte: 'f(2) sollte 4 sein', muss: 'f(2) muss 4 ergeben', wird: 'f(2) wird 4', 'gibt zurück': 'f(2) gibt zurück 4',
  dar: 'f(2) debería dar 4', devolver: 'f(2) tiene que devolver 4', retornar: 'f(2) deve retornar 4', ser: 'f(2) debería ser 4',
  renvoyer: 'f(2) devrait renvoyer 4', donner: 'f(2) devrait donner 4', retourner: 'f(2) devrait retourner 4',
  restituire: 'f(2) dovrebbe restituire 4', dare: 'f(2) deve dare 4', zwrócić: 'f(2) powinno zwrócić 4', dać: 'f(2) ma dać 4',
  вернуть: 'f(2) должно вернуть 4', liefern: 'f(2) soll liefern 4', ergeben: 'f(2) muss ergeben 4',
  devuelve: 'f(2) devuelve 4', retorna: 'f(2) retorna 4', 'debe devolver': 'f(2) debe devolver 4',
  'debería devolver': 'f(2) debería devolver 4', da: 'f(2) da 4', es: 'f(2) es 4', 'debe ser': 'f(2) debe ser 4',
  renvoie: 'f(2) renvoie 4', retourne: 'f(2) retourne 4', donne: 'f(2) donne 4', vaut: 'f(2) vaut 4',
  'doit renvoyer': 'f(2) doit renvoyer 4', 'doit donner': 'f(2) doit donner 4', 'doit retourner': 'f(2) doit retourner 4',
  est: 'f(2) est 4',
  restituisce: 'f(2) restituisce 4', ritorna: 'f(2) ritorna 4', 'deve restituire': 'f(2) deve restituire 4', dà: 'f(2) dà 4', è: 'f(2) è 4',
  devolve: 'f(2) devolve 4', 'deve retornar': 'f(2) deve retornar 4', 'deve devolver': 'f(2) deve devolver 4', é: 'f(2) é 4',
  dá: 'f(2) dá 4',
  geeft: 'f(2) geeft 4', moet: 'f(2) moet 4 zijn', zwraca: 'f(2) zwraca 4', daje: 'f(2) daje 4',
  'powinno zwrócić': 'f(2) powinno zwrócić 4', 'ma zwrócić': 'f(2) ma zwrócić 4',
  возвращает: 'f(2) возвращает 4', 'должна вернуть': 'f(2) должна вернуть 4', 'должно быть': 'f(2) должно быть 4', вернёт: 'f(2) вернёт 4',
  повертає: 'f(2) повертає 4',
  返回: 'f(2) 返回 4', 应返回: 'f(2) 应返回 4', 应该返回: 'f(2) 应该返回 4', 等于: 'f(2) 等于 4', 得到: 'f(2) 得到 4', 输出: 'f(2) 输出 4', 是: 'f(2) 是 4', は: 'f(2) は 4',
  が: 'f(2) が 4 になる', 반환: 'f(2) 반환 4', 은: 'f(2)은 4', 는: 'f(2)는 4',
  döndürür: 'f(2) döndürür 4', returnerar: 'f(2) returnerar 4', ger: 'f(2) ger 4', returnerer: 'f(2) returnerer 4',
  palauttaa: 'f(2) palauttaa 4', vrací: 'f(2) vrací 4'
}

/** Auxiliary words before a verb, which are skipped: "should", "must now". */
export const AUXILIARIES = [
  'should', 'must', 'will', 'would', 'shall', 'has to', 'have to', 'needs to', 'ought to', 'now', 'then', 'also', 'still',
  'exactly', 'equal to', 'genau', 'simply', 'just', 'to', 'always', 'dann', 'soll', 'sollte', 'muss', 'debería', 'debe', 'tiene que',
  'deve', 'deveria', 'doit', 'devrait', 'dovrebbe', 'powinno', 'powinna', 'ma', 'musi', 'должна', 'должен', 'должно', 'me', 'te'
]

/** Errors: "f(-1) raises ValueError". */
export const RAISES: Readonly<Record<string, string>> = {
  raises: 'f(-1) raises ValueError', raise: 'f(-1) should raise ValueError', throws: 'f(-1) throws RangeError',
  throw: 'f(-1) must throw RangeError', wirft: 'f(-1) wirft ValueError',
  lanza: 'f(-1) lanza ValueError', lève: 'f(-1) lève ValueError', lance: 'f(-1) lance RangeError', solleva: 'f(-1) solleva ValueError',
  lança: 'f(-1) lança ValueError', 抛出: 'f(-1) 抛出 ValueError'
}

/** Words between a value and the call it is for: "4 for f(2)". */
export const FOR = ['for', 'when given', 'when called as', 'from', 'für', 'bei', 'para', 'pour', 'per', 'dla', 'для', 'voor']
