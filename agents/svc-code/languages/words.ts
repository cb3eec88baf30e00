// Words that indicate a language. Plain data: extend it freely. They are matched as whole words, and case is ignored.

/** Libraries and concepts of one language. They are only hints: a user who names one may ask for a poem about it. */
export const PYTHON_WORDS = list('django, fastapi, numpy, scipy, sqlalchemy, pytest, pydantic, tkinter, pygame, beautifulsoup, '
  + `beautifulsoup4, bs4, scrapy,
  celery, aiogram, discord.py, pyrogram, telebot, python-telegram-bot, pytorch, torch, tensorflow, keras, scikit-learn,
  sklearn, matplotlib, seaborn, streamlit, gradio, typer, argparse, asyncio, aiohttp, httpx, jupyter, ipython, pip, pipenv,
  conda, virtualenv, venv, uvicorn, gunicorn, wsgi, asgi, jinja, jinja2, mypy, unittest, doctest, pyproject, pyproject.toml,
  requirements.txt, setup.py, conftest, polars, dask, airflow, opencv, cv2, spacy, nltk, kivy, pyqt, pyqt5, pyqt6, pyside,
  pyside6, psycopg, psycopg2, alembic, marshmallow, starlette, boto3, paramiko, dunder, __init__, dataframe, type hints,
  docstring, docstrings, list comprehension, dict comprehension, dataclass, dataclasses, namedtuple, defaultdict, itertools,
  functools, pathlib, lru_cache, pyspark, geopandas, xgboost, lightgbm, networkx, sympy, pillow, openpyxl, xlsxwriter, tqdm,
  django rest framework, drf, peewee, hypothesis library, pep 8, pep8, pypi, kwargs, flask, pandas, click, requests, black,
  bottle, tornado, pyramid, fabric, invoke, transformers, rich, poetry, pickle, selenium, anaconda`)

export const TYPESCRIPT_WORDS = list('next.js, nextjs, nuxt, nuxt.js, sveltekit, solidjs, fastify, nestjs, koa, hono, node.js, nodejs, '
  + `deno, npm, npx, pnpm,
  package.json, tsconfig, tsconfig.json, zod, prisma, typeorm, sequelize, knex, vitest, webpack, esbuild, rollup.js, tailwind,
  tailwindcss, redux, zustand, mobx, tanstack, rxjs, socket.io, bullmq, react native, react-native, vs code extension,
  vscode extension, chrome extension, browser extension, firefox extension, three.js, d3.js, jquery, tsx, jsx, discord.js,
  telegraf, grammy, eslint, lodash, service worker, localstorage, local storage, web component, web components,
  custom element, vuex, pinia, vue router, ngrx, angularjs, create-react-app, express.js, expressjs, react.js, reactjs,
  vue.js, vuejs, vue 3, vue 2, svelte, vue, mongoose schema, nodemailer, puppeteer, cheerio, ts-node, tsup, trpc,
  graphql-yoga, type guard, discriminated union, mapped type, conditional type, generics constraint, es module, esm, commonjs,
  dom, html form, web page, webpage, landing page, pricing page, css, html, shadcn, material ui, mui, chakra ui, storybook,
  playwright test, @playwright/test, @testing-library, testing library, ionic, capacitor, fetch api, event emitter,
  eventemitter, react, express, node, next, angular, nest, bun, yarn, jest, mocha, chai, cypress, vite, drizzle, mongoose,
  electron, expo, remix, astro, commander, inquirer, solid, hapi, apollo, ember, backbone, gatsby, playwright, lit, preact`)

/** Frameworks that determine the language, each with an example, which the tests read. */
export const FRAMEWORKS: readonly (readonly [word: string, language: string, example: string])[] = [
  ['fastapi', 'python', 'a FastAPI service with two endpoints'], ['django', 'python', 'Django models for a library'],
  ['flask app', 'python', 'a Flask app that takes uploads'],
  ['flask', 'python', 'upload form with Flask'], ['streamlit', 'python', 'streamlit dashboard'],
  ['pytest', 'python', 'pytest tests for this'], ['pandas', 'python', 'pandas: monthly totals'],
  ['numpy', 'python', 'numpy softmax'], ['sqlalchemy', 'python', 'SQLAlchemy models'], ['pygame', 'python', 'snake in pygame'],
  ['discord.py', 'python', 'a bot with discord.py'],
  ['next.js', 'typescript', 'a Next.js page'], ['nextjs', 'typescript', 'nextjs middleware'],
  ['nestjs', 'typescript', 'a NestJS controller'], ['react', 'typescript', 'a React component'],
  ['vue', 'typescript', 'a Vue component'], ['angular', 'typescript', 'an Angular form'], ['svelte', 'typescript', 'a Svelte store'],
  ['express', 'typescript', 'an Express server'],
  ['fastify', 'typescript', 'a Fastify plugin'], ['hono', 'typescript', 'a worker with hono'],
  ['discord.js', 'typescript', 'a bot with discord.js'], ['vitest', 'typescript', 'vitest tests for this'],
  ['node.js', 'typescript', 'a Node.js script'], ['zod', 'typescript', 'a zod schema'], ['socket.io', 'typescript', 'a chat with Socket.IO']
]

/** Frameworks whose names are also everyday words: they count only next to one of the NEIGHBOURS. */
export const EVERYDAY = new Set(['react', 'express', 'flask', 'angular', 'vue', 'pandas'])
export const NEIGHBOURS = new Set(list('app, apps, application, web, website, site, blog, shop, component, components, composant, '
  + 'componente, komponente, page, hook, hooks, middleware, route, routes, router, server, endpoint, endpoints, form, formular, '
  + 'service, api, apis, frontend, backend, project, projekt, proyecto, projet, view, plugin, handler, state, context, button, library, '
  + 'todo, dashboard, ui, table, list, modal, dataframe, native, typescript, ts, with, js, tsx, df, series, function'))

/** Words of negation: a name after one of them, in the same clause, is not requested. */
export const NOT = list(`no, not, don't, dont, do not, never, without, instead of, rather than, other than, not using, moving away `
  + `from, away from, migrate from, migrating from, port from, coming from, replace, replacing, unlike, avoid,
  drop, remove, know, knows, used to, previously, formerly, convert, translate, port, turn, rewrite, migrate, convert this, convert my, `
  + `port this, ohne, kein, keine, keinen, nicht, statt, anstatt, anstelle von, weg von,
  sans, pas de, au lieu de, plutôt que, sin, no uses, en lugar de, en vez de`)

/** Languages and formats that svc-code does not run: if a request names one, it does not ask for one of ours. */
export const OTHERS = list('rust, golang, java, kotlin, swift, c#, csharp, .net, c++, cpp, ruby, php, laravel, scala, haskell, lua, '
  + `perl, elixir, dart, flutter, bash, shell script, powershell, sql, zig, julia, fortran, cobol,
  clojure, f#, ocaml, solidity, go program, in go, html, css, dockerfile, docker, yaml, terraform, makefile, regex, latex, matlab, `
  + 'excel, nginx, kubernetes, helm, ansible, jenkinsfile, graphql, arduino, assembly, vba')

function list (text: string): string[] {
  return text.split(',').map(word => word.trim().replace(/\s+/g, ' ')).filter(word => word !== '')
}
