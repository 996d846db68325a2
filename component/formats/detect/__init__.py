"""How text is delimited, found out from a sample: ranked readings, each with its evidence.

`sample` reads a bounded part of a file and finds its encoding; `cutting` cuts text into cells by a dialect; `scoring`
says how well the cells hang together; `ranking` tries all readings; `verdict` picks one, or says that two are equally
good; `plain` rewrites a whole file of any dialect in the form that the CSV reader takes, and leaves every fault in it.
"""
