bench/b.o: bench/b.cpp config.h
config.h:
