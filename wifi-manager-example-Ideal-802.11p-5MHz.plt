set terminal postscript eps color enh "Times-BoldItalic"
set output "wifi-manager-example-Ideal-802.11p-5MHz.eps"
set title "Results for 802.11p-5MHz with Ideal\n"
set xlabel "SNR (dB)"
set ylabel "Rate (Mb/s)"
set xrange [0:30]
set yrange [0:60]
set key top left
plot "-"  title "802.11p-5MHz-rate selected" with lines, "-"  title "802.11p-5MHz-observed" with lines
27 13.5
26 13.5
25 12
24 12
23 9
22 9
21 9
20 9
19 6
18 6
17 6
16 4.5
15 4.5
14 4.5
13 3
12 3
11 3
10 2.25
9 1.5
8 1.5
7 1.5
6 1.5
5 1.5
4 1.5
3 1.5
e
27 7.13523
26 7.13523
25 6.68467
24 6.70106
23 5.60333
22 5.61152
21 5.60333
20 5.6361
19 4.23526
18 4.24346
17 4.24346
16 3.3833
15 3.35872
14 3.3751
13 2.42483
12 2.42483
11 2.42483
10 1.88416
9 1.31891
8 1.30253
7 1.31072
6 1.31072
5 1.31072
4 1.31072
3 1.31072
e
